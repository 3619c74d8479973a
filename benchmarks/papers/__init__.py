"""The published tables and figures, re-run."""
