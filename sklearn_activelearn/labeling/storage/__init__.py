"""The file of a session: its facts, and the decisions that follow from them."""
