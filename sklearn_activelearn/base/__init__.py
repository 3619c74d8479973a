"""The base of all learners: verbs, transactions, labels, validation, scores."""
