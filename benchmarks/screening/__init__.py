"""Screening: how soon all relevant rows are found, against ASReview."""
