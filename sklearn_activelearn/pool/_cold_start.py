"""Estimators that cannot be trained yet because labels are few.

Many classifiers need several labels: five neighbours, two rows of each class for early
stopping, as many rows as folds. While labels are few, a learner whose estimator fails
goes on as it began, without a model. But random labels cost money, and an estimator may
fail for another reason, such as a wrong parameter or a column of texts. So a trial
decides first: the estimator is trained on rows of the pool with as many made-up labels
as are no longer few. If it fails again, the error is raised.
"""

from dataclasses import replace
from warnings import catch_warnings, simplefilter

import numpy as np

from ..base._coded_classifiers import FEW_LABELS, FEW_PER_CLASS, INCURABLE
from ..base._scores import predict_labels
from ..exceptions import ColdStartWarning, warn_of_constant_answer, warn_user
from ..sources._containers import n_rows, take

#: With fewer labels one known class is nothing unusual.
FEWEST_KNOWN = 10

#: Number of pool rows whose predictions are checked for being all the same.
MOST_CHECKED = 1_000

#: With fewer labels one predicted class is nothing unusual.
FEWEST_PREDICTED = 50

#: Parameters that keep a model from learning from few labels.
SMALLEST_LEAVES = ("min_samples_leaf", "min_child_samples", "min_data_in_leaf")

#: Number of characters of an error that are quoted.
LONGEST_QUOTE = 300


class Prior:
    """Stand-in for a classifier that cannot be trained yet: the shares of the labels.

    Parameters
    ----------
    labels : ndarray of shape (n_labelled,) or (n_labelled, n_labels)
        Labels, at least one, or label sets of rows.
    """

    def __init__(self, labels):
        self.has_label_sets = labels.ndim == 2
        if self.has_label_sets:
            self.classes_ = np.arange(labels.shape[1])
            self.shares = labels.sum(axis=0) / max(len(labels), 1)
        else:
            self.classes_, counts = np.unique(labels, return_counts=True)
            self.shares = counts / counts.sum()

    def predict(self, X):
        if self.has_label_sets:
            return np.tile((self.shares >= 0.5).astype(np.int64), (n_rows(X), 1))
        return np.repeat(self.classes_[[self.shares.argmax()]], n_rows(X))

    def decision_function(self, X):
        if self.has_label_sets:
            return self.predict_proba(X) - 0.5
        scores = np.tile(np.log(self.shares), (n_rows(X), 1))
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        return np.tile(self.shares, (n_rows(X), 1))


def n_enough(labelled):
    """Return the number of labels that are no longer few."""
    return max(FEW_LABELS, FEW_PER_CLASS * len(np.unique(labelled.codes)))


def may_be_cured(error, labelled):
    """Return True if more labels than these may cure an error of the estimator."""
    return not isinstance(error, INCURABLE) and len(labelled) < n_enough(labelled)


def go_on_without_model(error, step, state, parts, X):
    """Warn that rows are chosen without a model, or raise the error.

    Parameters
    ----------
    error : Exception
        The error of the estimator.
    step : {"training", "choice", "equal scores"}
        The step that failed.
    state : LearnerState
        State of the learner, which has warned of some steps; it warns once of each.
    parts : Parts
        Its rule and trainer.
    X : rows
        The pool.

    Returns
    -------
    state : LearnerState
        The same state, which has warned of this step.
    """
    labelled, is_new = state.ledger.labelled, step not in state.warned_of
    if step != "equal scores":
        if not may_be_cured(error, labelled):
            raise error
        if is_new and not works_with_more_labels(state.known(parts), parts, X, step):
            raise error
    if not is_new:
        return state
    warn_of_cold_start(parts.trainer.estimators[0], step, error, labelled)
    return state._replace(warned_of=(*state.warned_of, step))


def works_with_more_labels(known, parts, X, step):
    """Return True if the estimator works on rows of the pool with enough labels.

    The labels are made up: each known class has as many of them.

    Parameters
    ----------
    known : Known
        Labels of two classes.
    parts : Parts
        Query rule and trainer of the learner.
    X : rows
        The pool.
    step : {"training", "choice"}
        The step that failed on the labels known so far. "choice" tries both.
    """
    n, rule, trainer = n_rows(X), parts.rule, parts.trainer
    if trainer.keeps_pool or not n:
        return False
    rng, n_wanted = np.random.default_rng(known.seed), n_enough(known.labelled)
    rows = np.sort(rng.choice(n, n_wanted, replace=n < n_wanted))
    codes = rng.permutation(np.resize(np.unique(known.labelled.codes), n_wanted))
    again = np.resize(np.arange(len(known.labelled)), n_wanted)
    made_up = replace(
        known.labelled.part(again), rows=take(X, rows), codes=codes.astype(np.int32)
    )
    known = known._replace(labelled=made_up, purposes=known.purposes[again], n_before=0)
    try:
        with catch_warnings():
            simplefilter("ignore")
            trained = trainer.train(known, None)
            if step == "training":
                return True
            has_label_sets = known.label_names is not None
            utility = rule.label_set_utility if has_label_sets else rule.utility
            model = trained.asked
            return bool(np.isfinite(utility(model, made_up.rows)).all())
    except Exception:
        return False


def warn_of_cold_start(estimator, step, error, labelled):
    """Warn that rows are bought without a model.

    Parameters
    ----------
    estimator : classifier
        The estimator of the learner.
    step : {"training", "choice", "equal scores", "prediction"}
        The step that failed; "prediction" if the training for a prediction failed.
    error : Exception
        Why the estimator cannot choose rows.
    labelled : Labelled
        The labels that the learner knows.
    """
    name, n = type(estimator).__name__, len(labelled)
    if step == "equal scores":
        warn_user(
            f"{name} gives the same score to {error} after {n} labels: it does not say "
            "which row is worth a label. Rows are chosen without a model while this "
            f"lasts.{advice_for_leaves(estimator)}",
            ColdStartWarning,
        )
        return
    text = " ".join(str(error).split())
    if len(text) > LONGEST_QUOTE:
        text = f"{text[:LONGEST_QUOTE]}…"
    what = "score the pool with" if step == "choice" else "be trained on"
    effects = {
        "training": "Rows are chosen without a model, and the most frequent class is "
        "predicted, while this lasts.",
        "choice": "Rows are chosen without a model while this lasts.",
        "prediction": "The most frequent class is predicted.",
    }
    warn_user(
        f"{name} cannot {what} {n} labels: {type(error).__name__}: {text} — "
        f"{effects[step]} From {n_enough(labelled)} labels on the error is raised.",
        ColdStartWarning,
    )


def advice_for_leaves(estimator):
    """Return a sentence on the parameter that keeps leaves too large, or ""."""
    params = estimator.get_params() if hasattr(estimator, "get_params") else {}
    for name, value in params.items():
        is_size = isinstance(value, int) and value > 1
        if is_size and name.split("__")[-1] in SMALLEST_LEAVES:
            return f" {name}={value} needs that many rows in each leaf: lower it."
    return ""


def warn_if_constant(learner, rule, state, X):
    """Warn if all labels are of one class, or one class is predicted for all rows.

    Predictions for the labelled rows are checked first, and only if they are all the
    same, predictions for the pool, or for random rows of a large pool.

    Parameters
    ----------
    learner : PoolClassifier
        A learner that has stopped, for the text.
    rule : Rule
        Its query rule, which has the advice.
    state : LearnerState
        Its state.
    X : rows
        The pool.
    """
    labelled, target = state.ledger.labelled, state.target
    if len(labelled) < max(learner._parts.choice.n_initial, FEWEST_KNOWN):
        return
    codes = labelled.codes
    n_classes = len(np.unique(codes))
    if n_classes == 1 and learner.stop_reason_ == "budget":
        warn_of_constant_answer(
            learner,
            target.name_of(target.table[codes[0]]),
            "predicts {} for every row",
            f"since its {len(codes)} labels are all of that class",
            rule.advice_if_one_class,
        )
    if n_classes == 1 or len(codes) < FEWEST_PREDICTED or not state.is_trained:
        return
    model = state.trained.model
    answers = np.unique(predict_labels(model, labelled.rows), axis=0)
    n = n_checked = n_rows(X)
    if len(answers) == 1 and n:
        some, n_checked = slice(None), min(n, MOST_CHECKED)
        if n > MOST_CHECKED:
            rng = np.random.default_rng((state.seed, state.n_rounds))
            some = np.sort(rng.choice(n, MOST_CHECKED, replace=False))
        others = predict_labels(model, take(X, some))
        answers = np.unique(np.concatenate([answers, others]), axis=0)
    if len(answers) == 1:
        warn_of_constant_answer(
            learner,
            target.name_of(answers[0]),
            f"predicts {{}} for all labelled rows and for {n_checked} of the pool",
            f"although it has been taught labels of {n_classes} classes",
            rule.advice_if_constant,
        )
