"""Tables: reading them from files, and turning their columns into numbers."""
