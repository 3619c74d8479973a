"""Minimum margin: buy the row nearest to the decision boundary."""

from functools import partial

from sklearn.svm import LinearSVC

from ..base._scores import (
    label_scores,
    of_padded,
    scores_of,
    smallest_margin,
    utility_of_label_sets,
)
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._rule import Rule
from ._selection import UNCERTAIN
from ._training import OneModel


class MarginRule(Rule):
    """The rows nearest to the decision boundary."""

    needs = "decision_function"
    reason = UNCERTAIN
    takes_label_sets = True
    advice = (
        'Use UncertaintySamplingClassifier(estimator, measure="margin"), which needs '
        "predict_proba."
    )

    def utility(self, model, X):
        """Return minus the distance to the boundary, or minus the gap of two scores."""
        return smallest_margin(of_padded(partial(scores_of, model), X))

    def label_set_utility(self, model, X):
        """Return minus the smallest distance of a label to its boundary."""
        scores = of_padded(partial(label_scores, model), X)
        return utility_of_label_sets(smallest_margin, -scores / 2, scores / 2)


class MinMarginClassifier(PoolClassifier):
    """Pool learner that buys the row nearest to the decision boundary ("Simple").

    Around any classifier with `decision_function`: train on the labels bought,
    buy the row with the smallest decision value, and again.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with `decision_function`. Cloned, never changed. None:
        ``LinearSVC()``.

    n_initial : int >= 1, default=10
        Number of labels that are known before the first model is trained, including
        labels that nobody asked for. Once these have two classes, all rows are bought
        with a model. While all labels are of one class, further rows are random,
        `batch_size` at a time, unless `initial` is a function or rows.

    initial : {"random", "herding", "mixed"}, callable or rows, default="random"
        Rule for the first rows. "random": random rows, no two of them equal. "herding":
        rows that cover the pool; each is similar to as many rows as possible that are
        not similar to an earlier one (MaxHerding). "mixed": two in five rows are
        random, the others cover the pool. A function ``initial(X)`` gets rows of the
        pool, a block at a time, and returns a number for each; the rows with the
        highest numbers come first. Rows of the wanted kind, of shape (n, n_features):
        rows of the pool with the highest cosine to one of them come first, in the
        `embedding` if there is one.

    batch_size : int >= 1, default=1
        Number of labels bought between two trainings.

    batch : {"top", "cluster", "herding"}, default="top"
        Rule that makes a batch of useful rows. "top": the most useful rows. The other
        rules choose among the most useful rows, ten times the number of rows wanted.
        "cluster": the most useful row of each of `batch_size` clusters (k-means).
        "herding": the rows that cover the others best. Equal rows are bought together
        only if no other rows are left.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    explore : float in [0, 1], default=0.0
        Share of each batch that is drawn at random, with equal probabilities, from all
        rows that may be bought. The random rows stand at random positions of the batch.
        A fraction of a row is drawn with this probability. Random first rows do not
        count.

    n_candidates : int >= 1, default=None
        Number of rows that are considered for each batch: a new random sample of the
        rows that may be bought, never smaller than the batch. Stopping rules see the
        same rows. None: all rows.

    budget : int >= 0, float in [0, 1] or None, default=100
        Largest number of labels to buy between one `fit` and the next: by default
        `query` returns an empty array after 100 labels. A float is a
        share of the rows offered, which are the rows bought and the rows that may be
        bought: the largest number in all calls; each `partial_fit` adds its own rows.
        Raise it with `set_params` to continue. None: no limit.

    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row lies inside the margin of an SVM.
        "stable_predictions": successive models agree. The user guide describes more
        rules. None: spend the budget.

    n_jobs : int, default=None
        Number of threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.

    Attributes
    ----------
    estimator_ : classifier
        The estimator, trained on all labels taught.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. `teach` adds new classes unless `fit` or `classes` declared
        them all.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` and each
        `query` since have bought, in order.

    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Number of rows that were skipped and not taught later.

    n_taught_ : int
        Number of labels taught, bought or not.

    stop_reason_ : str or None
        Why the last query returned no rows: "budget", the name of the stopping rule,
        "no rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have features.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.

    Raises
    ------
    ValueError, TypeError
        From every method, before anything is bought or changed: if a parameter is
        out of its range, an estimator lacks a required method or argument or its
        tags refuse the rows, or a label is not one of the classes.

    See Also
    --------
    UncertaintySamplingClassifier : Uses probabilities instead.
    PassiveClassifier : Buys random rows.

    Notes
    -----
    For two classes the utility of a row is :math:`-|f(x)|`; for more, minus the
    gap between the two highest decision values. Ties are broken at random. With
    more than two classes the decision values of an `SVC` are votes with a confidence,
    and it must keep ``decision_function_shape="ovr"``; `LinearSVC` has distances.

    The rows bought are not a random sample of the pool, and scores on them mislead.

    An `SVC` computes the kernel between the pool and its support vectors again
    for every query. For a linear kernel ``LinearSVC`` scores the same pool
    with one matrix product, which is many times faster on a large one.

    References
    ----------
    .. [1] S. Tong, D. Koller, "Support Vector Machine Active Learning with
       Applications to Text Classification", JMLR 2, 2001, section 4 ("Simple
       Margin").
    .. [2] G. Schohn, D. Cohn, "Less is More: Active Learning with Support Vector
       Machines", ICML 2000.
    .. [3] C. Campbell, N. Cristianini, A. Smola, "Query Learning with Large Margin
       Classifiers", ICML 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    >>> learner = MinMarginClassifier(model, budget=40, random_state=0).fit(X, y)
    >>> print(f"{learner.n_queries_} labels, accuracy {learner.score(X, y):.2f}")
    40 labels, accuracy 0.98
    """

    def make_rule(self):
        """Return the rule."""
        return MarginRule()

    def make_trainer(self):
        """Return the trainer of `estimator`."""
        return OneModel(self.estimator, default=LinearSVC())

    _passive_baseline = passive_baseline
