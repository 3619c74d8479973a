"""What the learners warn of."""

__all__ = ["OneClassWarning"]


class OneClassWarning(UserWarning):
    """Warning that a learner knows one class only, or predicts one for every row.

    Where one class is rare, a constant answer is seldom wrong: accuracy does not show
    that the rare rows are missed. Balanced accuracy, recall and average precision do.

    Notes
    -----
    A stream learner warns at the end of a call if it has predicted the same class for
    each of the last rows it has seen, as many as the larger of 1,000 and a quarter of
    ``n_seen_``, although it has been taught labels of two classes; or if it has stopped
    asking with one. See `class_weight`.

    A pool learner warns, once a run, when it buys no more: if the budget was spent and
    all labels, 10 or more, are of one class; or if it has 50 labels or more, of two
    classes, and predicts one of them for all rows that it was taught and for those of
    the pool, or 1,000 random ones of a larger one. See `initial`, and `class_weight` of
    the estimator.

    References
    ----------
    .. [1] K. H. Brodersen, C. S. Ong, K. E. Stephan, J. M. Buhmann, "The Balanced
       Accuracy and Its Posterior Distribution", ICPR 2010.

    Examples
    --------
    >>> import warnings
    >>> from sklearn_activelearn.exceptions import OneClassWarning
    >>> with warnings.catch_warnings(action="error", category=OneClassWarning):
    ...     try:
    ...         warnings.warn("one class is predicted", OneClassWarning)
    ...     except OneClassWarning as warning:  # instead of going on
    ...         print(warning)
    one class is predicted
    """
