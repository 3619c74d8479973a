"""Pool learners on many data sets, one command, and what their results say."""
