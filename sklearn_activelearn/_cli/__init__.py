"""What the command line needs; the commands are in `sklearn_activelearn.__main__`."""
