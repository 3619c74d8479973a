"""Texts that the docstrings of several classes share.

A text belongs to a name. ``@documented(POOL)`` replaces a line ``{budget}`` in the
docstrings of a class and its methods by the text of this name. Each class below is a
table of texts: its docstring has an entry for each name, and it inherits the texts of
its base class.
"""

import re
import sys
from inspect import cleandoc, isfunction
from textwrap import dedent, indent

NAMES = r"\**[A-Za-z]\w*(?:,\s+\**[A-Za-z]\w*)*"
MARKER = re.compile(rf"^( *)\{{({NAMES})\}}$", re.MULTILINE)
NEXT_ENTRY = re.compile(rf"(\n( *)    \S.*)\n(?=\2{NAMES} : )")


def texts_of(table):
    """Return the texts of a table by their names."""
    texts = {}
    for base in reversed(table.__mro__[:-1]):
        _, *entries = re.split(r"\n(?=\S)", cleandoc(base.__doc__ or ""))
        for entry in entries:
            head, _, body = entry.strip().partition("\n")
            name = head.partition(" : ")[0].strip("{}")
            texts[name] = dedent(body) if head.startswith("{") else entry.strip()
    return texts


#: Page of a class, to which scikit-learn's HTML representation links.
PAGE = (
    "https://sklearn-activelearn.readthedocs.io/en/latest/generated/api/"
    "sklearn_activelearn.{name}.html"
)


def name_of_page(estimator):
    """Return the shortest public name of a class, in which its page is named."""
    name, module = type(estimator).__name__, type(estimator).__module__
    package, section = module.split(".")[:2]
    is_exported = hasattr(sys.modules[package], name)
    return {"name": name if is_exported else f"{section}.{name}"}


def documented(table):
    """Insert texts into the docstrings of a class and its methods; link to its page."""
    texts = texts_of(table)

    def insert(docstring):
        def text_of(marker):
            text = "\n".join(texts[name] for name in re.split(r",\s+", marker[2]))
            return indent(insert(text), marker[1])

        return docstring and MARKER.sub(text_of, docstring)  # python -OO leaves none

    def document(item):
        for member in vars(item).values():
            function = getattr(member, "__func__", member)
            if isfunction(function):
                function.__doc__ = insert(function.__doc__)
        if item.__doc__:
            item.__doc__ = NEXT_ENTRY.sub(r"\1\n\n", insert(item.__doc__))
        item._doc_link_module, item._doc_link_template = "sklearn_activelearn", PAGE
        item._doc_link_url_param_generator = name_of_page
        return item

    return document


class CLASSIFIER:
    """Texts of all classifiers.

    classes_ : ndarray of shape (n_classes,)
        Classes, sorted.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of X have string names.
    """


class LEARNER(CLASSIFIER):
    """Texts of all learners.

    n_queries_ : int
        Number of labels bought since the last `fit`, less refunds.
    queried_indices_ : ndarray of int of shape (n_bought,)
        Row numbers of the labels that the last `fit`, `partial_fit` or `learn` bought,
        in order.
    n_pending_ : int
        Number of rows that were asked for and neither taught nor skipped yet.
    n_taught_ : int
        Number of labels taught, bought or not.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, if the columns of the first X have string names.
    y : array-like of shape (n_samples,)
        Labels of all rows. The learner uses the labels that it buys.
    classes : array-like of shape (n_classes,), default=None
        All labels that can occur. Required unless the learner knows them.
    exclude : array-like of int, or of bool of shape (n_samples,), default=None
        Row numbers that may not be bought, or a mask. They are removed from
        `candidates`.
    **fit_params : dict
        Values for `fit` of the estimator, one for each row, such as ``sample_weight``.
        They need ``sklearn.set_config(enable_metadata_routing=True)``, and
        ``set_fit_request`` of the estimator. They are stored with the labels; labels
        taught without weights have the weight 1. Learners that train with weights of
        their own, and stream learners, refuse them: use `class_weight`.
    rows : ndarray of int64 of shape (n_queries,)
        Row numbers of X, in the order in which to label them. Their labels count as
        bought. If it is empty, ``stop_reason_`` says why.
    probabilities : ndarray of shape (n_queries,)
        Probability with which each row was bought. Only with `return_probability`.
    ids : array-like of int or of str of shape (n_samples,), default=None
        Unique ids of the rows of X. Rows are recognised by their ids, and their values
        may change between calls. Pass ids in all calls or in none.
    {wrong_ids}
        ValueError, TypeError
            If the ids are not unique, are not whole numbers or texts, or are a mixture
            of both; if their number differs from the number of rows; or if only some
            calls have ids.
    {failing_oracle}
        ValueError
            As for `query` and `teach`, and if the oracle returns a wrong number of
            labels or an unknown label. Errors of the oracle itself pass through.
            Everything taught before the error stays learned, and counts and random
            numbers are in the state before the row that failed. The call can be
            repeated: for a pool learner with the same X, for a stream learner with the
            rest of X, from row (or candidate) number ``n_seen_`` of this call on. A
            label that the oracle has returned is learned even if Ctrl-C follows at
            once. If some labels of a batch are unknown, a pool learner learns the
            others; the rows with unknown labels stay bought and pending.
    {returns}
        Returns
        -------
        self : object
            The learner.
    RuntimeError
        If another thread changes the learner during the call, or `learn` runs. As after
        each error, the learner is unchanged.
    {raises}
        Raises
        ------
        ValueError, TypeError
            From every method, before anything is bought or changed: if a parameter is
            out of its range.
    """


class POOL(LEARNER):
    """Texts of pool learners.

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
    incremental : bool, default=False
        Whether to teach the estimator new labels with its `partial_fit` instead of
        training it on all labels again.
    n_jobs : int, default=None
        Number of threads that score the pool, as in joblib.
    random_state : int, RandomState instance or None, default=None
        Seed of the first rows, of the choice among equally useful rows, and of
        estimators without a seed.
    estimator_ : classifier
        The estimator, trained on all labels taught.
    classes_ : ndarray of shape (n_classes,)
        Classes, sorted. `teach` adds new classes unless `fit` or `classes` declared
        them all.
    n_skipped_ : int
        Number of rows that were skipped and not taught later.
    stop_reason_ : str or None
        Why the last query returned no rows: "budget", the name of the stopping rule,
        "no rows" or "limit". None if rows were bought.
    n_features_in_ : int
        Number of features, if the rows have features.
    {raises}
        Raises
        ------
        ValueError, TypeError
            From every method, before anything is bought or changed: if a parameter is
            out of its range, an estimator lacks a required method or argument or its
            tags refuse the rows, or a label is not one of the classes.
    {attributes_of_all}
        {classes_, n_queries_, queried_indices_, n_pending_, n_skipped_, n_taught_,
        stop_reason_, n_features_in_, feature_names_in_}
    """


class HERDING(POOL):
    """Texts of learners that cover the pool.

    estimator : classifier, default=None
        A classifier with `predict_proba` or `decision_function`. It is cloned, never
        changed. None: ``LogisticRegression()``.
    n_coverage : int >= 1, default=None
        Number of random rows on which the coverage of the pool is measured. None: all
        rows, or 2,000 rows of a larger pool.
    {failing_embedding}
        Raises
        ------
        ValueError, TypeError
            From every method, before anything is bought or changed: if a parameter is
            out of its range, an estimator has neither probabilities nor decision values
            for each class, an embedding or a kernel fails on the pool, the tags of the
            estimator refuse the rows, or a label is not one of the classes.
    """


class CANDIDATES(POOL):
    """Texts of learners with several candidate models.

    estimator : classifier, default=None
        A classifier. It is cloned, never changed. None: ``LogisticRegression()``.
    estimators : list of (str, classifier), default=None
        Candidate models with their names, instead of `estimator` and `param_grid`.
    scoring : str or callable, default="accuracy"
        Score that selects the best candidate by cross-validation: the name of a scorer
        of scikit-learn, such as "neg_log_loss", or ``scorer(estimator, X, y)``.
    cv : int >= 2, default=5
        Number of folds of the stratified cross-validation; fewer while a class has
        fewer labels.
    estimator_ : classifier
        The candidate with the highest score in cross-validation, trained on all labels
        taught. Of equal candidates, the middle one of the list.
    best_index_ : int
        Position of `estimator_` among the candidates.
    cv_scores_ : ndarray of shape (n_candidates,)
        Scores in cross-validation; 1 if there is a single candidate, or a single label
        of the second class.
    model_names_ : list of str
        Names, or parameters, of the candidates.
    {raises}
        Raises
        ------
        ValueError, TypeError
            From every method, before anything is bought or changed: if a parameter is
            out of its range, both `param_grid` and `estimators` are given, a candidate
            lacks a required method or its tags refuse the rows, or a label is not one
            of the classes.
    param_grid : dict or list of dict, default=None
        Parameters of `estimator` to try, as for `GridSearchCV`. Each combination is a
        candidate. None: `C` from 0.01 to 100 if `estimator` is None, otherwise a single
        candidate.
    """


class BOOSTING(POOL):
    r"""Texts of committees that are built by boosting.

    estimator : classifier, default=None
        The weak learner. Its `fit` takes `sample_weight`. It is cloned, never changed.
        None: `DecisionStumpClassifier`, for which the pool is sorted once.
    alpha : float in [0, 1] or callable, default=0.01
        Weight of a row without a label. The weight of a labelled row is 1. A callable
        gets the number of labels at each training, and returns the weight.
    init : classifier, default=None
        Classifier that is trained on the first labels and predicts the first
        pseudo-labels. None: the nearest neighbour,
        ``KNeighborsClassifier(n_neighbors=1)``, which needs scaled features without
        missing values.
    n_estimators : int >= 1, default=20
        Number of members of the committee, which is built again for each query.
    batch_size : int >= 1, default=1
        Number of labels bought between two trainings: rows with different scores, the
        smallest margins first.
    stopping : str, stopping rule or list of them, default=None
        Rules that stop buying before the budget is spent; the first rule that is met
        counts. "margin_exhausted": no row has a margin below 1. "stable_predictions":
        successive committees agree. The user guide describes more rules. None: spend
        the budget.
    estimator_ : classifier
        The committee, with members `estimators_` and weights `estimator_weights_`.
        ``staged_decision_function(X)`` yields the decision values of the first 1, 2,
        ... members. With more than two classes, `committees_` has a committee for each.
    cost_curve_ : ndarray of shape (n_trainings,)
        The cost :math:`C_{S_n}(F_n)` after each training.
    {cost}
        With l labelled rows, u other rows and :math:`F = \sum_t \omega_t f_t`, the cost
        is

        .. math:: C_{S_n}(F) = \frac{1}{l + u} \Bigl( \sum_{i \le l} e^{-y_i F(x_i)}
            + \alpha \sum_{i > l} e^{-|F(x_i)|} \Bigr).
    {multiclass}
        With more than two classes, each class has a committee against the others. The
        margin of a row is then the difference between its two highest scores, and the
        cost is the mean of the costs of the committees.
    """


class NEWTON_BOOSTING(BOOSTING):
    """Texts of boosting by Newton steps.

    estimator : classifier, default=None
        The weak learner. Its `fit` takes `sample_weight`, and it has `predict_proba`.
        It is cloned, never changed. None: `DecisionStumpClassifier`, for which the pool
        is sorted once.
    tol : float >= 0, default=0.001
        Least relative decrease of the cost. The first member that lowers the cost by
        less is the last one.
    """


class STREAM(LEARNER):
    """Texts of stream learners.

    update : {"perceptron", "dkm"}, default="perceptron"
        Change of the weights after a mistake: ``w + eta0 y x`` (Perceptron), or the
        reflection ``w - 2 (w.x) x / |x|^2``, which keeps the norm of w.
    eta0 : float > 0, default=1.0
        Step of the Perceptron update. The reflection has no step.
    average : bool, default=True
        Whether to predict with the mean of the weights after each label taught, instead
        of the last weights. Queries and updates always use the last weights. False is
        the algorithm of the paper.
    fit_intercept : bool, default=True
        Whether to append a constant feature 1 to each row. False: separators through
        the origin, as in the paper.
    normalize : bool, default=True
        Whether to scale each row to unit Euclidean norm, as the analysis assumes. Rows
        of zeros stay zero. With `fit_intercept` the scaled row is divided by the square
        root of 2.
    class_weight : {"balanced"}, dict or None, default=None
        Weight of a label of each class. "balanced": the more labels a class has, the
        less each counts, and predictions change half way between the mean scores of the
        classes. If one class is rare, the learner finds more of its rows, and often
        buys more labels. A dict has weights > 0 by class; the weight of other classes
        is 1. None: all labels have the same weight. The formulas are in the user guide,
        on the page "Unequal classes".
    budget : int >= 0, float in [0, 1] or None, default=None
        Largest number of labels to buy between one `fit` and the next. Raise it with
        `set_params` to continue. A float is a share of the rows seen before and in the
        call; only `fit` and `learn` take a float. None: no limit.
    patience : int >= 1, default=None
        Number of consecutive rows without a purchase after which the learner buys no
        more labels. None: never stop.
    shuffle : bool, default=True
        Whether `fit` visits the rows in random order. `partial_fit` and `learn` do not.
    random_state : int, RandomState instance or None, default=None
        Seed of the random decisions, with one random number for each row seen, and of
        the order of the rows.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict. They apply to rows of unit norm if `normalize`. For two
        classes there is one row, the weights of ``classes_[1]``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature. With ``class_weight="balanced"`` the thresholds
        of predictions are subtracted; queries have no thresholds.
    n_skipped_ : int
        Number of rows that were asked for and skipped.
    stop_reason_ : str or None
        Why no more labels can be bought: "budget" or "patience". After a `query` that
        returned no rows also "no rows" or "limit". Otherwise None.
    n_seen_ : int
        Number of rows seen, bought or not.
    n_updates_ : int
        Number of labels that changed the weights.
    {raises}
        Raises
        ------
        ValueError, TypeError
            From every method, before anything is bought or changed: if a parameter is
            out of its range, X contains NaN or infinity, a label is not one of the
            classes, or `average`, `fit_intercept`, `normalize` or `class_weight` has
            changed without `fit`.
    {multiclass}
        With more than two classes, the margin is half the difference between the two
        highest scores, and a label changes the weights of its class and of the
        strongest other class.
    {attributes_of_all}
        {n_queries_, queried_indices_, n_pending_, n_skipped_, n_taught_, stop_reason_,
        n_seen_, n_updates_, n_features_in_, feature_names_in_}
    """


class GRADIENT(STREAM):
    """Texts of stream learners that follow the gradient of a loss.

    normalize : bool, default=False
        Whether to scale each row to unit Euclidean norm. Rows of zeros stay zero. With
        `fit_intercept` the scaled row is divided by the square root of 2.
    eta0 : float > 0, default=0.1
        Learning rate, which "adaptive" does not use. It must be small compared with
        ``1 / |x|²``. After a large step all margins are so large that (almost) no label
        is bought again; a `ConvergenceWarning` says so.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        Step of label number T: `eta0` ("constant") or ``eta0 / sqrt(T)``
        ("invscaling") times the weighted gradient. "adaptive": steps follow the sizes
        of features and rows, and there is no parameter to tune.
    """


class SECOND_ORDER(STREAM):
    """Texts of second-order stream learners.

    kernel : str or callable, default="linear"
        Name of a kernel of `sklearn.metrics.pairwise.pairwise_kernels`, or a callable
        ``kernel(X, Z) -> ndarray of shape (n_rows_X, n_rows_Z)``, such as
        ``partial(polynomial_kernel, degree=2)``. "chi2" takes dense rows only.
    gamma : float > 0 or None, default=None
        Parameter of the named kernels that have one. None: the default of the kernel.
    fit_intercept : bool, default=True
        Whether to append a constant feature 1 to each row (with a kernel, to its
        image). False: separators through the origin, as in the paper.
    normalize : bool, default=True
        Whether to scale each row to unit Euclidean norm, as the analysis assumes. Rows
        of zeros stay zero. With a kernel the image of the row is scaled: k(x, z) /
        sqrt(k(x, x) k(z, z)). With `fit_intercept` the scaled row is divided by the
        square root of 2.
    solver : {"auto", "primal", "dual", "coordinate_descent"}, default="auto"
        Algorithm that updates the weights when a row is stored.

        - "primal" keeps a matrix of n_features + 1 rows and columns;
        - "dual" keeps the stored rows and a triangular matrix with a row for each;
        - "coordinate_descent" keeps the stored rows and a coefficient of each. It makes
          129 steps of dual coordinate descent towards the optimum, and computes r as if
          A were its diagonal. The cost of a stored row does not depend on their number;
        - "auto" starts with "dual". It changes to "primal" when that is cheaper: at
          about .4 times as many stored rows as features for dense rows. It changes to
          "coordinate_descent" at 500 stored rows, or a later multiple of 500, if at
          most a tenth of the stored entries differ from 0.

        "primal" and "dual" give the optimum and differ in time, memory and rounding
        only. With a kernel or `max_stored`, "auto" is "dual".
    max_stored : int >= 1 or None, default=None
        Largest number of rows to hold. When one more is stored, the oldest row is
        forgotten as if it had never been stored. None: no limit; time and memory of
        "dual" grow with the number of stored rows.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights that predict. They apply to rows of unit norm if `normalize`. For two
        classes there is one row, the weights of ``classes_[1]``. Only with
        ``kernel="linear"``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature. Only with ``kernel="linear"``.
    n_updates_ : int
        Number of labels that were stored.
    is_dual_ : bool
        Whether the learner holds the stored rows, and not a matrix.
    """


class DISPLAY:
    """Texts of displays.

    ax_ : matplotlib Axes
        Axes of the last drawing.
    figure_ : matplotlib Figure
        Figure of the last drawing.
    ax : matplotlib Axes, default=None
        Axes to draw on. None makes a figure.
    {returns}
        Returns
        -------
        display : object
            The display, drawn.
    """
