"""Warnings of the learners."""

import sys
import warnings

from sklearn.exceptions import FitFailedWarning

__all__ = ["ColdStartWarning", "OneClassWarning"]


class ColdStartWarning(FitFailedWarning):
    """Warning that a pool learner goes on without a model, since labels are few.

    Its estimator fails in training, in scoring the rows of the pool, or gives all of
    them the same score. Rows are then chosen as before the first model: by `initial` if
    it is a function or rows, else at random. The learner warns once, until its
    estimator can be used.

    Of several labels for a row it also means that the estimator cannot be trained on
    some labels, which the warning names: fewer than 10 rows have them, or lack them.
    The more frequent value of these labels is predicted; the others are trained on.

    Notes
    -----
    Labels are few below 50, and below 10 for each class that is known. From then on the
    error of the estimator is raised. Errors that more labels cannot cure, such as wrong
    parameters and missing methods, are raised at once. A model that scores all rows
    alike, 20 rows or more, raises no error at any number of labels.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn_activelearn import UncertaintySamplingClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = UncertaintySamplingClassifier(
    ...     KNeighborsClassifier(5), n_initial=3, budget=30, random_state=0
    ... )
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     learner = learner.fit(X, y)
    >>> print(len(caught), caught[0].category.__name__, learner.n_queries_)
    1 ColdStartWarning 30
    """


class OneClassWarning(UserWarning):
    """Warning that a learner knows one class only, or predicts one for every row.

    Where one class is rare, a constant prediction is seldom wrong: accuracy does not
    show that the rare rows are missed. Balanced accuracy, recall and average precision
    do.

    Notes
    -----
    A stream learner warns at the end of a call if it has been taught labels of two
    classes but has predicted one class for each of the last rows: at least 1,000 rows
    and a quarter of ``n_seen_``; or at least 200 rows and three quarters of it; or at
    least 200 rows and a tenth of it, if three rows of other classes or more are to be
    expected among them, at the rate of their labels among the rows seen. It also warns
    if it has stopped asking with labels of one class, after 1,000 rows and a quarter of
    ``n_seen_``; and at the end of `fit`, if it predicts one class for 270 to 1,000 rows
    of the stream among which three of other classes or more are to be expected. See
    `class_weight`.

    A pool learner warns once a run, when it buys no more labels: if the budget is spent
    and all labels, at least 10, are of one class; or if it has at least 50 labels of
    two classes and predicts one class for all rows that it was taught and for all rows
    of the pool (1,000 random rows of a larger pool). See `initial`, and `class_weight`
    of the estimator.

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


#: Packages in whose lines a warning does not help the user.
INNER = {"sklearn_activelearn", "sklearn", "joblib", "contextlib", "functools"}


def warn_user(message, category=UserWarning):
    """Warn at the innermost line outside this package and scikit-learn."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in INNER:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def warn_of_constant_answer(learner, label, rows, known, advice):
    """Warn that a learner has the same answer for all rows.

    Parameters
    ----------
    learner : learner
        The learner, named by its class.
    label : object
        The answer.
    rows, known, advice : str
        Parts of the message: the rows, the labels that are known, and what to do.
    """
    warn_user(
        f"{type(learner).__name__} {rows.format(repr(str(label)))}, {known}. {advice}",
        OneClassWarning,
    )


def advice_for_rare_classes(advice):
    """Return a sentence on what to do if other classes are rare."""
    return f"Where other classes are rare, {advice}, and judge it by balanced accuracy."
