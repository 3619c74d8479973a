"""Front ends of a session: the terminal and the page. They hold no logic."""
