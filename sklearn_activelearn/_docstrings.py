"""The texts that docstrings share, in tables that extend each other."""

import re
from inspect import isfunction
from textwrap import dedent, indent

NAMES = r"\**[A-Za-z]\w*(?:,\s+\**[A-Za-z]\w*)*"
MARKER = re.compile(rf"^( *)\{{({NAMES})\}}$", re.MULTILINE)
NEXT_ENTRY = re.compile(rf"(\n( *)    \S.*)\n(?=\2{NAMES} : )")


def documented(table):
    """Put the texts of a table into the docstrings of a class and of its methods."""

    def fill(item):
        members = [
            getattr(member, "__func__", member) for member in vars(item).values()
        ]
        for function in filter(isfunction, members):
            function.__doc__ = filled(function.__doc__, table)
        if item.__doc__:  # python -OO leaves none
            item.__doc__ = NEXT_ENTRY.sub(r"\1\n\n", filled(item.__doc__, table))
        return item

    return fill


def filled(docstring, table):
    """Return a docstring with texts in place of their names."""

    def text_of(marker):
        names = re.split(r",\s+", marker[2])
        text = "\n".join(table[name] for name in names)
        return indent(filled(text, table), marker[1])

    return docstring and MARKER.sub(text_of, docstring)


def texts(entries):
    """Return a table of texts by name."""
    table = {}
    for entry in re.split(r"\n(?=\S)", entries.strip()):
        head, _, body = entry.partition("\n")
        name = head.partition(" : ")[0].strip("{}")
        table[name] = dedent(body) if head.startswith("{") else entry
    return table


CLASSIFIER = texts(r"""
classes_ : ndarray of shape (n_classes,)
    Labels, sorted.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of str of shape (n_features,)
    Names of the features, if the rows came with string names.
""")

LEARNER = CLASSIFIER | texts(r"""
n_queries_ : int
    Labels bought since the last `fit`.
queried_indices_ : ndarray of int of shape (n_bought,)
    Rows of the last `fit`, `partial_fit` or `learn` X whose labels were
    bought, in order.
n_pending_ : int
    Rows asked for and neither taught nor skipped yet.
n_taught_ : int
    Labels taught, bought or not.
feature_names_in_ : ndarray of str of shape (n_features,)
    Names of the features, if the first rows came with string names.
y : array-like of shape (n_samples,)
    Labels of all rows; the learner uses those that it buys.
classes : array-like of shape (n_classes,), default=None
    All labels that can occur. Needed unless the learner knows them.
exclude : array-like of int, or of bool of shape (n_samples,), default=None
    Row numbers that may not be bought, or a mask; taken out of `candidates`.
rows : ndarray of int64 of shape (n_queries,)
    Row numbers of X, in the order in which to label them. Their labels count
    as bought from now on. If there are none, ``stop_reason_`` says why.
probabilities : ndarray of shape (n_queries,)
    Only with `return_probability`.
ids : array-like of int or of str of shape (n_samples,), default=None
    Names of the rows of X, all different: rows are recognised by them alone, and their
    values may change between calls. In all calls, or in none.
{wrong_ids}
    ValueError, TypeError
        For ids that are not all different or not as many as rows, some of them texts
        and some whole numbers, or in some calls only; for ids that are neither.
{failing_oracle}
    ValueError
        As for `query` and `teach`, and for an oracle that returns a wrong
        number of labels or an unknown one. Whatever the oracle raises passes
        through. What was taught until then stays learned; the clock, the random
        numbers and the bill stand just before the row that failed, so the call can
        be made again: for a pool learner as it was, for a stream learner with the
        rest of X, from row, or candidate, ``n_seen_`` on, counted since the call. A
        label that the oracle has returned is learned even if Ctrl-C comes right
        after it. Of a batch with unknown labels a pool learner learns the known
        ones; the other rows stay on the bill, and pending.
{returns}
    Returns
    -------
    self : object
        The learner.
RuntimeError
    If another thread changed the learner meanwhile, or `learn` is under way.
    As with every error, the learner stays as it was.
{raises}
    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed, for a parameter out of
        its range.
""")

POOL = LEARNER | texts(r"""
n_initial : int >= 1, default=10
    Labels known before the first model. Labels that nobody asked for count; once they
    are of two classes, no more rows are bought without a model. While all labels are
    of one class, further rows are random, `batch_size` at a time, unless `initial` is
    a function or rows.
initial : {"random", "herding", "mixed"}, callable or rows, default="random"
    Which rows are bought first. "random": random rows, no two of them equal.
    "herding": rows that cover the pool, each similar to as many rows as possible that
    no earlier one is similar to (MaxHerding). "mixed": two in five are random, the
    others cover the pool. A function: ``initial(X)`` gets rows of the pool, a block at
    a time, and returns a number for each; the highest come first. Rows such as you look
    for, of shape (n, n_features): those with the highest cosine to one of them come
    first; as they are, or in the `embedding`.
batch_size : int >= 1, default=1
    Labels bought between two trainings.
batch : {"top", "cluster", "herding"}, default="top"
    Which rows are a batch. "top": those that are worth most. Among ten times as many
    of these, "cluster": the first of each of `batch_size` clusters (k-means);
    "herding": those that cover the others best. Equal rows are bought together only
    if no others are left.
embedding : transformer, callable or None, default=None
    What maps rows to points, between which distances are measured. It is fitted once
    on each pool, without labels. None, for rows of numbers: texts (fewer than 1 number
    in 20 is not zero) are divided by their norms; other rows are left as they are if
    all have one norm; else each column is divided by its standard deviation or, if it
    is mostly zero, by its largest absolute value.
explore : float in [0, 1], default=0.0
    Share of each purchase that is random, whatever the rule: so many of its rows are
    drawn, with equal probabilities, from all that may be bought, and stand anywhere
    among the others. A part of a row is drawn with that probability. First rows that
    are random anyway are no part of it.
n_candidates : int >= 1, default=None
    How many of the rows that may be bought are considered for each purchase: a new
    random sample each time, at least as many as are bought. Stopping rules see the
    same ones. None: all.
budget : int >= 0, float in [0, 1] or None, default=100
    Labels it may buy between one `fit` and the next. A float is a share of the rows
    offered: those bought and those that may be bought, the largest sum of all calls;
    each `partial_fit` adds its own. Raise it with `set_params` to go on. None: no
    limit.
stopping : str, stopping rule or list of them, default=None
    "margin_exhausted": stop when no row lies inside the margin of an SVM.
    "stable_predictions": stop when successive models agree. Others: see the
    guide. Of a list, the first rule that is met ends it. None: spend the budget.
incremental : bool, default=False
    Teach the estimator new labels with its `partial_fit` instead of training
    it on all of them again.
n_jobs : int, default=None
    Threads that score the pool, as in joblib.
random_state : int, RandomState instance or None, default=None
    Seed of the first rows, of the choice among ties, and of estimators that have
    none of their own.
estimator_ : classifier
    The estimator, trained on all labels taught.
classes_ : ndarray of shape (n_classes,)
    Labels, sorted. `teach` adds new ones unless `fit` or `classes` gave them all.
n_skipped_ : int
    Rows skipped, and not taught later.
stop_reason_ : str or None
    Why nothing was bought last: "budget", the name of the stopping rule, "no rows"
    or "limit". None if rows were bought.
n_features_in_ : int
    Number of features, if the rows have any.
{raises}
    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out of its
        range, an estimator without a method or an argument that it must have, rows that
        its tags refuse, labels outside the classes.
{attributes_of_all}
    {classes_, n_queries_, queried_indices_, n_pending_, n_skipped_, n_taught_,
    stop_reason_, n_features_in_, feature_names_in_}
""")

HERDING = POOL | texts(r"""
estimator : classifier, default=None
    Has `predict_proba` or `decision_function`. Cloned, never changed. None:
    ``LogisticRegression()``.
n_coverage : int >= 1, default=None
    How many random rows stand for the pool, whose coverage is measured. None: all,
    or 4,000 of a larger pool.
{failing_embedding}
    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, an estimator that has neither probabilities nor decision values
        for each class, an embedding or a kernel that fails on the pool or does not
        fit it, rows that the estimator's tags refuse, labels outside the classes.
""")

CANDIDATES = POOL | texts(r"""
estimator : classifier, default=None
    Cloned, never changed. None: ``LogisticRegression()``.
estimators : list of (str, classifier), default=None
    The candidates with their names, instead of the two above.
scoring : str or callable, default="accuracy"
    The best candidate has the highest such score in cross-validation: the name of a
    scorer of scikit-learn, such as "neg_log_loss", or ``scorer(estimator, X, y)``.
cv : int >= 2, default=5
    Folds of the stratified cross-validation; fewer while a class has fewer
    labels.
estimator_ : classifier
    The candidate with the highest score in cross-validation (of equals the middle
    one of the list), trained on all labels taught.
best_index_ : int
    Position of `estimator_` among the candidates.
cv_scores_ : ndarray of shape (n_candidates,)
    Scores in cross-validation; 1 for a single candidate, which needs none, and
    while there is one label of the second class.
model_names_ : list of str
    Names, or parameters, of the candidates.
{raises}
    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out of its
        range, both `param_grid` and `estimators`, a candidate without a method that it
        must have, rows that the candidates' tags refuse, labels outside the classes.
param_grid : dict or list of dict, default=None
    Parameters of `estimator` to try, as for `GridSearchCV`: every combination
    is a candidate. None: with `estimator` also None, `C` from 0.01 to 100; else
    one candidate only.
""")

BOOSTING = POOL | texts(r"""
estimator : classifier, default=None
    The weak learner; its `fit` takes `sample_weight`. Cloned, never changed. None:
    `DecisionStumpClassifier`, for which the pool is sorted once.
alpha : float in [0, 1], default=0.01
    Weight of a row without a label; that of a labelled one is 1.
init : classifier, default=None
    Trained on the first labels, it guesses the first pseudo-labels. None: the
    nearest neighbour, ``KNeighborsClassifier(n_neighbors=1)``, which needs scaled
    features without missing values.
n_estimators : int >= 1, default=20
    Members of the committee, built from scratch for every query.
batch_size : int >= 1, default=1
    Labels bought between two trainings: rows of different scores, the smallest
    margins first.
stopping : str, stopping rule or list of them, default=None
    "margin_exhausted": stop when no row has a margin below 1.
    "stable_predictions": stop when successive committees agree. Others: see the
    guide. Of a list, the first rule that is met ends it. None: spend the budget.
estimator_ : classifier
    The committee. Its members are `estimators_`, their weights
    `estimator_weights_`; ``staged_decision_function(X)`` yields the decision
    values of 1, 2, ... members. With more classes than two, the committees of
    all classes are `committees_`.
cost_curve_ : ndarray of shape (n_trainings,)
    The cost :math:`C_{S_n}(F_n)` after each training.
{cost}
    With l labelled and u other rows and :math:`F = \sum_t \omega_t f_t`, the cost is

    .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
        + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).
{multiclass}
    More classes than two have a committee each, against the others. The margin of a row
    is the gap between its two highest scores then, and the cost the mean of theirs.
""")

NEWTON_BOOSTING = BOOSTING | texts(r"""
estimator : classifier, default=None
    The weak learner; its `fit` takes `sample_weight`, and it has `predict_proba`.
    Cloned, never changed. None: `DecisionStumpClassifier`, for which the pool is
    sorted once.
tol : float >= 0, default=0.001
    Add no more members once one lowers the cost by a smaller share than this.
""")

STREAM = LEARNER | texts(r"""
update : {"perceptron", "dkm"}, default="perceptron"
    What a mistake does to the weights: ``w + eta0 y x`` (Perceptron), or
    the reflection ``w - 2 (w.x) x / |x|^2``, which keeps the norm of w.
eta0 : float > 0, default=1.0
    Step of the Perceptron update; the reflection has none.
average : bool, default=True
    Predict with the mean of the weights after each label taught, instead
    of the last ones. Queries and updates always use the last. False is the
    paper's algorithm.
fit_intercept : bool, default=True
    Append a constant feature 1 to each row. False: separators through the
    origin, as in the paper.
normalize : bool, default=True
    Scale each row to unit Euclidean norm on the fly, which the analysis
    assumes; zero rows stay zero. With `fit_intercept` the row is then
    divided by the square root of 2.
class_weight : {"balanced"}, dict or None, default=None
    What a label of each class counts for. "balanced": as much less as there are more
    of its class, and predictions change half way between the classes' mean scores;
    where one class is rare it finds more of its rows, and often buys more labels. A
    dict has weights > 0 by class, 1 for those that it lacks. None: all count the same.
    The formulas are in the user guide, on the page "Unequal classes".
budget : int >= 0, float in [0, 1] or None, default=None
    Labels it may buy between one `fit` and the next. Raise it with
    `set_params` to go on. A float is a share of the rows seen before and in the
    call; only `fit` and `learn` take one. None: no limit.
patience : int >= 1, default=None
    Stop asking for good after this many consecutive rows without a purchase.
    None: never.
shuffle : bool, default=True
    Whether `fit` visits the rows in random order. `partial_fit` and `learn`
    never do.
random_state : int, RandomState instance or None, default=None
    Seed of the random decisions (one number for each row seen, needed or not)
    and of the shuffling.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights that predict; they apply to rows of unit norm if `normalize`.
    One row for two classes: the weights of ``classes_[1]``.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Weights of the constant feature; with ``class_weight="balanced"`` less thresholds,
    which predictions have and queries do not.
n_skipped_ : int
    Rows asked for and skipped.
stop_reason_ : str or None
    Why nothing can be bought any more: "budget" or "patience". After a `query`
    that returned no row also "no rows" or "limit". Else None.
n_seen_ : int
    Rows seen, that is, bought or passed over.
n_updates_ : int
    Labels that changed the weights.
{raises}
    Raises
    ------
    ValueError, TypeError
        From every verb, before anything is bought or changed: a parameter out
        of its range, NaN or infinity in X, labels outside the classes; `average`,
        `fit_intercept`, `normalize` or `class_weight` changed without `fit`.
{multiclass}
    With more than two classes the margin is half the gap between the two
    highest scores, and a label moves its own class and its strongest rival.
{attributes_of_all}
    {n_queries_, queried_indices_, n_pending_, n_skipped_, n_taught_, stop_reason_,
    n_seen_, n_updates_, n_features_in_, feature_names_in_}
""")

GRADIENT = STREAM | texts(r"""
normalize : bool, default=False
    Scale each row to unit Euclidean norm on the fly; zero rows stay zero.
    With `fit_intercept` the row is then divided by the square root of 2.
eta0 : float > 0, default=0.1
    Learning rate; not used by "adaptive". It must be small compared with ``1 / |x|²``: a
    large step moves all margins to where no label is bought, and (almost) nothing is
    bought again. A `ConvergenceWarning` says so.
learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
    Label T learned moves the weights by `eta0` ("constant") or by ``eta0 / sqrt(T)``
    ("invscaling") times the weighted gradient. "adaptive": steps follow the sizes of
    features and rows, and there is nothing to tune.
""")

SECOND_ORDER = STREAM | texts(r"""
kernel : str or callable, default="linear"
    Name of a kernel of `sklearn.metrics.pairwise.pairwise_kernels`, or a callable
    ``kernel(X, Z) -> ndarray of shape (n_rows_X, n_rows_Z)``, such as
    ``partial(polynomial_kernel, degree=2)``. "chi2" takes dense rows only.
gamma : float > 0 or None, default=None
    Parameter of the named kernels that have one. None: the default of the kernel.
fit_intercept : bool, default=True
    Append a constant feature 1 to each row (to its image, with a kernel).
    False: separators through the origin, as in the paper.
normalize : bool, default=True
    Scale each row to unit Euclidean norm on the fly, which the analysis
    assumes; zero rows stay zero. With a kernel it is the row's image that is
    scaled, k(x, z) / sqrt(k(x, x) k(z, z)). With `fit_intercept` the row is
    then divided by the square root of 2.
solver : {"auto", "primal", "dual", "coordinate_descent"}, default="auto"
    Algorithm that updates the weights when a row is stored.

    - "primal" keeps a matrix of n_features + 1 rows and columns;
    - "dual" keeps the stored rows and a triangular matrix with a row for each of them;
    - "coordinate_descent" keeps the stored rows and a coefficient of each. It makes 129
      steps of dual coordinate descent towards the optimum, and computes r as if A were
      its diagonal. A stored row costs the same however many there are;
    - "auto" starts with "dual". It changes to "primal" when that is cheaper: at about .4
      times as many stored rows as features for dense rows. It changes to
      "coordinate_descent" at 500 stored rows, or a later multiple of 500, if at most a
      tenth of the stored entries differ from 0.

    "primal" and "dual" give the optimum and differ in time, memory and rounding only.
    With a kernel or `max_stored` "auto" is "dual".
max_stored : int >= 1 or None, default=None
    Largest number of rows to hold. With one more, the row stored first is forgotten as
    if it had never been stored. None: no limit; time and memory of "dual" grow with the
    stored rows.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    Weights that predict; they apply to rows of unit norm if `normalize`.
    One row for two classes: the weights of ``classes_[1]``. Only with
    ``kernel="linear"``.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Weights of the constant feature; only with ``kernel="linear"``.
n_updates_ : int
    Labels that were stored.
is_dual_ : bool
    Whether the learner holds the stored rows, and not a matrix.
""")

DISPLAY = texts(r"""
ax_ : matplotlib Axes
    Axes of the last drawing.
figure_ : matplotlib Figure
    Figure of the last drawing.
ax : matplotlib Axes, default=None
    Axes to draw on. None makes a figure.
**style : dict
    Other arguments of `plot`.
{returns}
    Returns
    -------
    display : object
        The display, drawn.
""")
