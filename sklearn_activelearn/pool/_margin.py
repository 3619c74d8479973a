"""Min-margin: ask for the row nearest the boundary."""

from functools import partial
from typing import Literal

from sklearn.svm import LinearSVC

from .._typing import Classifier, Embedding, Seed, Stopping
from ._base import PoolClassifier
from ._passive import passive_baseline
from ._training import OneModel
from ._utility import of_padded, scores_of, smallest_margin


class MinMarginClassifier(PoolClassifier):
    """Pool learner that buys the row nearest to the decision boundary ("Simple").

    Around any classifier with `decision_function`: train on the labels bought,
    buy the row with the smallest decision value, and again.

    Parameters
    ----------
    estimator : classifier, default=None
        Has `decision_function`. Cloned, never changed. None:
        ``LinearSVC()``.

    n_initial : int >= 1, default=10
        Labels bought before the first model; then further ones, chosen likewise,
        `batch_size` at a time, while all are of one class.

    initial : {"random", "herding"}, default="random"
        Which rows are the first ones: random ones, no two of them equal, or such that
        cover the pool, each chosen to be similar to as many rows as possible that no
        earlier one is similar to (MaxHerding).

    batch_size : int >= 1, default=1
        Labels bought between two trainings.

    batch : {"top", "cluster", "herding"}, default="top"
        Which rows are a batch: those that are worth most; or, among ten times as many
        of these, the first of each of `batch_size` clusters (k-means), or those that
        cover the others best. Equal rows are bought together only if no others are
        left.

    embedding : transformer, callable or None, default=None
        What distances between rows are measured in, fitted once on each pool, without
        labels. None, for numbers: texts (of which fewer than 1 number in 20 is not
        zero) are divided by their lengths; other rows are left as they are if all have
        one length; else each column is divided by its standard deviation or, if it is
        mostly zero, by its largest absolute value.

    n_candidates : int >= 1, default=None
        How many of the rows that may be bought are looked at for each purchase, drawn
        anew each time; at least as many as are bought. Stopping rules see the same
        ones. None: all.

    budget : int >= 0, float in [0, 1] or None, default=100
        Labels it may buy between one `fit` and the next, or their share of the
        rows offered: those bought and those for sale, at the call where they were most
        numerous; each `partial_fit` adds its own. Raise it with `set_params` to go on.
        None: no limit.

    stopping : str, stopping rule or list of them, default=None
        "margin_exhausted": stop when no row lies inside the margin.
        "stable_predictions": stop when successive models agree. Others: see the
        guide. The first rule of a list that is met ends it. None: the budget is spent.

    incremental : bool, default=False
        Teach the estimator new labels with its `partial_fit` instead of training
        it on all of them again.

    n_jobs : int, default=None
        Threads that score the pool, as in joblib.

    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among ties, and of the estimator
        if that has none of its own.

    Attributes
    ----------
    estimator_ : classifier
        The estimator, trained on all labels taught.

    classes_ : ndarray of shape (n_classes,)
        Labels, sorted. They grow with `teach` unless `fit` or `classes` told them.

    n_queries_ : int
        Labels bought since the last `fit`.

    queried_indices_ : ndarray of int of shape (n_bought,)
        Rows of the last `fit`, `partial_fit` or `learn` X whose labels were
        bought, in order.

    n_pending_ : int
        Rows asked for and neither taught nor skipped yet.

    n_skipped_ : int
        Rows skipped, and not taught later.

    n_taught_ : int
        Labels taught, bought or not.

    stop_reason_ : str or None
        Why the last purchase was none: "budget", the name of the stopping rule, "no
        rows" or "limit". None if rows were bought.

    n_features_in_ : int
        Number of features, if the rows have any.

    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the first rows came with string names.

    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, an estimator without `decision_function` or with one for
        pairs of classes, rows that its tags refuse, labels outside the classes.

    See Also
    --------
    UncertaintySamplingClassifier : The same with probabilities.
    PassiveClassifier : The same number of labels, at random.

    Notes
    -----
    For two classes the utility of a row is :math:`-|f(x)|`; for more, minus the
    gap between the two highest decision values. Ties are broken at random. With
    more than two classes an `SVC` gives votes with a confidence (and must keep
    ``decision_function_shape="ovr"``), `LinearSVC` the distances meant here.

    The rows bought are no sample of the pool, and scores on them mislead.

    An `SVC` computes the kernel between the pool and its support vectors anew
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

    _needs = "decision_function"
    _otherwise = (
        'Use UncertaintySamplingClassifier(estimator, measure="margin"), which needs '
        "predict_proba."
    )

    _search_grid = {
        "estimator": [LinearSVC(C=0.1), LinearSVC()],
        "stopping": [None, "margin_exhausted"],
    }

    _samples = True

    def __init__(
        self,
        estimator: Classifier | None = None,
        *,
        n_initial: int = 10,
        initial: Literal["random", "herding"] = "random",
        batch_size: int = 1,
        batch: Literal["top", "cluster", "herding"] = "top",
        embedding: Embedding | None = None,
        n_candidates: int | None = None,
        budget: int | float | None = 100,
        stopping: Stopping | None = None,
        incremental: bool = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ):
        self.estimator = estimator
        self.incremental = incremental
        self.n_initial = n_initial
        self.initial = initial
        self.batch_size = batch_size
        self.batch = batch
        self.embedding = embedding
        self.n_candidates = n_candidates
        self.budget = budget
        self.stopping = stopping
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _make_trainer(self):
        estimator = LinearSVC() if self.estimator is None else self.estimator
        return OneModel(estimator, self.incremental)

    def _passive_baseline(self):
        return passive_baseline(self)

    def _utility(self, X):
        return smallest_margin(of_padded(partial(scores_of, self.estimator_), X))
