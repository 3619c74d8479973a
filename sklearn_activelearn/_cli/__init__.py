"""The commands of ``sklearn-activelearn``."""
