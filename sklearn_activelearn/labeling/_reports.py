"""Where a session stands, and what the rows put aside say about the model."""

from collections import Counter
from math import sqrt
from operator import eq
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .._typing import Classifier, Floats, Id, Label, Scoring
from .._validation import check_number
from ..evaluation import advice
from ..evaluation._measures import MOSTLY, measures_of
from ..sources._containers import take
from ._commands import check_who
from ._doubtful import decided_labels, doubtful_rows, final_labels
from ._earlier import comparable, late_start, model_of_half
from ._own_score import own_score_of, own_score_sentence, recall_sentence
from ._status import Status, status_for, status_of

NO_MODEL = "There is no model yet: go on labelling."

#: How many further labels the advice is about, at most.
AHEAD = 50


class CurvePoint(NamedTuple):
    """How good a model was on the rows put aside."""

    n_labels: int  # that it was trained on
    accuracy: float
    n_test: int  # rows put aside by then that have a label now
    score: float  # by the measure that was asked for
    constant: float  # that of the most frequent class for all rows
    measure: str  # what it is called


class Predictions(NamedTuple):
    """What the model says of all rows of the pool."""

    ids: list[Id]
    labels: list[Label]
    probabilities: Floats | None  # of shape (n_rows, n_classes); None: it has none
    classes: list[Label]


def predictions_of(recorded, ids, wanted):
    """Return what the model says of the rows with these ids; None: of all."""
    rows = None if wanted is None else [ids.row(id) for id in wanted]
    if not recorded.has_model:
        raise ValueError(
            "There is no model yet: it comes with the next row once two classes have "
            "labels."
        )
    X = recorded.pool if rows is None else take(recorded.pool, rows)
    labels, probabilities = recorded.predict(X)
    names = ids.all if rows is None else ids.at(rows)
    return Predictions(names, labels, probabilities, recorded.learner.classes_.tolist())


def test_of(state, earlier):
    """Return the labels of the rows put aside, and the predictions of each model.

    Parameters
    ----------
    state : SessionState
        With the models.
    earlier : list of dict
        Models before the first of these.

    Returns
    -------
    truth : list
        Of those rows that have a label now.
    history : list of (int, list)
        For each model, its labels and its predictions for these rows, without those
        that were put aside later.
    """
    decisions = map(state.decision, state.test)
    truth = [decision.label if decision else None for decision in decisions]
    known = [i for i, label in enumerate(truth) if label is not None]
    history = [
        (model["n_taught"], [test[i] for i in known if i < len(test)])
        for model in (*earlier, *state.models)
        if (test := model["test"])
    ]
    return [truth[i] for i in known], [each for each in history if each[1]]


class RecordedPredictions(ClassifierMixin, BaseEstimator):
    """A model of which only the labels that it predicted are known."""

    def __init__(self, labels, classes):
        self.labels, self.classes = labels, classes
        self.classes_ = classes

    def predict(self, X):
        """Return the labels."""
        return self.labels


class Scores:
    """The scores of all models on the rows put aside, by one measure.

    Parameters
    ----------
    truth : list
        Their labels.
    history : list of (int, list)
        For each model, its labels and its predictions for these rows, or for the first
        ones.
    scoring : str, callable or None
        A measure of predicted labels; None: the default.

    Attributes
    ----------
    name : str
        What the measure is called.
    why : str
        Why it was chosen, empty if the user did.
    answer : object
        The most frequent class.
    values, constants : list of float
        For each model, and of the most frequent class for the same rows.
    """

    def __init__(self, truth, history, scoring):
        y = np.asarray(truth)
        counts = Counter(truth)
        self.answer, n_most = counts.most_common(1)[0]
        self.why = ""
        if scoring is None:
            scoring = "accuracy"
            if n_most > MOSTLY * len(truth):
                scoring = "balanced_accuracy"
                self.why = f"{n_most / len(truth):.0%} of these are {self.answer!r}"
        predictions = [np.asarray(labels) for _, labels in history]
        classes = np.unique(np.concatenate([y, *predictions]))
        constant = np.full(len(y), self.answer, dtype=y.dtype)
        measures = measures_of(scoring, RecordedPredictions(constant, classes), y)
        if len(measures.scorers) > 1:
            raise ValueError(f"scoring must be one measure, got {scoring!r}.")
        (name,) = measures.scorers
        self.name = name.replace("_", " ")

        def score(labels):
            X, truth = np.empty((len(labels), 1)), y[: len(labels)]
            return float(measures(RecordedPredictions(labels, classes), X, truth)[0])

        self.values = list(map(score, predictions))
        of_constant = {n: score(constant[:n]) for n in set(map(len, predictions))}
        self.constants = [of_constant[len(labels)] for labels in predictions]


def share_right(predicted, truth):
    """Return the share of predictions that are right; there may be more truth."""
    return sum(map(eq, predicted, truth)) / len(predicted)


def spread_of(name, predicted, truth):
    """Return twice the standard error of a share, in words; of some measures none."""
    if name not in ("accuracy", "balanced accuracy"):
        return ""
    classes = [None] if name == "accuracy" else list(dict.fromkeys(truth))
    variance = 0.0
    for c in classes:
        of = [k for k, label in enumerate(truth) if c is None or label == c]
        n, share = len(of), sum(predicted[k] == truth[k] for k in of) / len(of)
        variance += max(share * (1 - share), 1 / n) / n / len(classes) ** 2
    return f"give or take {2 * sqrt(variance):.0%}; "


def curve_of(state, scoring=None):
    """Return a point for each model."""
    truth, history = test_of(state, ())
    if not history:
        return []
    scores = Scores(truth, history, scoring)
    return [
        CurvePoint(n, share_right(labels, truth), len(labels), *values, scores.name)
        for (n, labels), *values in zip(
            history, scores.values, scores.constants, strict=True
        )
    ]


def advice_of(state, scoring=None, earlier=()):
    """Return what is known about the worth of more labels, in a sentence or two."""
    if not state.test:
        return (
            "No rows were put aside (test_size), so nothing tells how good the model "
            "is: rows that the learner chose mislead."
        )
    truth, history = test_of(state, earlier)
    if not history:
        return NO_MODEL
    scores = Scores(truth, history, scoring)
    n_labels, predicted = history[-1]
    n = len(predicted)
    is_share = scores.name.endswith("accuracy")
    value, constant = (
        f"{number:.0%}" if is_share else f"{number:.2f}"
        for number in (scores.values[-1], scores.constants[-1])
    )
    what = f"the model has a {scores.name} of {value} on"
    if scores.name == "accuracy":
        what = f"the model is right on {value} of"
    now = (
        f"With {n_labels} labels {what} {n} rows put aside, whose labels are not among "
        f"the {n_labels} ({spread_of(scores.name, predicted, truth[:n])}"
        f"always {scores.answer!r}: {constant})"
    )
    if scores.why:
        now += f"; it is the mean over classes, because {scores.why}"
    if state.ended:
        now += f", and the session has ended ({state.ended})"
    now += sampled_later(state)
    history, n = comparable(history)
    if (n_first := min(n_then for n_then, _ in history)) > n_labels / 2:
        return (
            f"{now}. Whether more labels help can be told from {2 * n_first} labels "
            f"on: the first model that these rows have judged had {n_first}."
        )
    outlook = advice(history, truth[:n], n_labels=min(AHEAD, n_labels))
    if earlier:
        outlook = (
            f"{outlook} The model of {history[0][0]} labels was trained to tell that."
        )
    return f"{now}. {outlook}"


def sampled_later(state):
    """Return which rows those put aside do not stand for, in words."""
    (n_rows, n_later), words = state.sampled, ""
    if n_later:
        words += (
            f"; {n_later} of the rows put aside were drawn later, and stand for those "
            "that nobody had asked for until then"
        )
    if n_new := state.begin["pool"]["n_rows"] - n_rows:
        words += f"; {n_new} rows have come since, for which they do not stand"
    return words


class Reports:
    """What a session says about its rows and models."""

    _lock: Any
    _state: Any
    _ids: Any
    _worker: Any
    _own_score: Any = None

    def status(self, who: str | None = None) -> Status:
        """Return where the session stands.

        Parameters
        ----------
        who : str, default=None
            A person: ``answered``, ``skipped`` and ``by_class`` are the rows that they
            have answered, and ``pending`` those that they have not, as yet undecided.

        Returns
        -------
        status : Status
            Numbers of rows: ``asked``, ``answered``, ``skipped``, ``pending``,
            ``left`` in the budget, ``n_test``, ``n_taught``, ``by_class``,
            ``disputed``; ``stop_reason``; and ``score``, what the learner's own
            labels say of its accuracy, as `advice` has found it last.

        Raises
        ------
        ValueError
            For what is no name.
        """
        check_who(who, n_votes=1)
        with self._lock:
            status = (
                status_of(self._state) if who is None else status_for(self._state, who)
            )
            return status._replace(score=self._own_score)

    def curve(self, scoring: Scoring | None = None) -> list[CurvePoint]:
        """Return how good each model was on the rows put aside.

        Parameters
        ----------
        scoring : str or callable, default=None
            As for `label_curve`, but only measures of predicted labels: no others are
            kept. None: accuracy, or balanced accuracy where one class has more than
            70 % of the labels of the rows put aside.

        Returns
        -------
        points : list of CurvePoint
            ``n_labels``, ``accuracy``, ``n_test``, ``score``, ``constant``, the score
            of the most frequent class for all rows, and ``measure``, the name of the
            score; empty without such rows.
            After a change that lets a learner begin again, the curve begins again, too.

        Raises
        ------
        ValueError
            For several measures, unknown ones, and those that need more than labels.
        """
        with self._lock:
            return curve_of(self._state, scoring)

    def doubtful(self, n: int = 20, estimator: Classifier | None = None) -> list[Id]:
        """Return rows whose labels to look at twice.

        Nothing is changed: call `label` for those that are wrong, and with
        ``final=True`` for those that are right and need not come back.

        Parameters
        ----------
        n : int >= 1, default=20
            How many, at most.
        estimator : classifier, default=None
            What to train, as for `evaluation.doubtful_labels`. None: the model of the
            learner.

        Returns
        -------
        ids : list of str or int
            The most doubtful first, of all rows with a label that is not final, those
            put aside among them.

        Raises
        ------
        ValueError
            Before there are labels of two classes; without `estimator`, for stream
            learners and boosting, whose models are not trained on labelled rows alone.
        TypeError
            As that function.
        """
        check_number(n, "n", 1, closed="left", integer=True)
        return [id for id, _ in self._doubtful_rows(estimator)][:n]

    def _doubtful_rows(self, estimator=None):
        """Return rows whose labels are not final, with what a model predicts."""
        with self._lock:
            labels, checked = decided_labels(self._state), final_labels(self._state)
            recorded = self._worker.recorded
        rows = doubtful_rows(labels, recorded, self._ids, estimator)
        return [row for row in rows if row[0] not in checked]

    def advice(self, scoring: Scoring | None = None) -> str:
        """Return what the rows put aside say about going on.

        They have judged the models that have chosen rows: labels that were given since
        the last rows were chosen count when the next ones are.

        Without such rows, what the labels say that the learner has bought
        (`explored_score`, or `online_score` of a stream learner). If the learner stops
        at a recall (`RecallTarget`), first what was found and what the rest costs
        (`recall_price`).

        If they have judged no model of at most half the labels, because many labels
        were there before them, one of a random half is trained to compare with, where
        the learner's model can be trained so.

        Parameters
        ----------
        scoring : str or callable, default=None
            As for `curve`.

        Returns
        -------
        advice : str
            A sentence or two.

        Raises
        ------
        ValueError
            As `curve`.
        """
        with self._lock:
            late, recorded = late_start(self._state), self._worker.recorded
            has_test, stop_reason = bool(self._state.test), self._state.ended
            aside = (*recorded.test.tolist(), *recorded.asked_before.tolist())
            decisions = {row: self._state.decision(self._ids.all[row]) for row in aside}
        learner = recorded.learner
        found = recall_sentence(recorded, decisions, stop_reason)
        if found and not has_test:
            return found
        if not has_test and (estimate := own_score_of(learner)):
            self._own_score = estimate
            return own_score_sentence(learner, estimate)
        if not has_test and not recorded.has_model and getattr(learner, "explore", 0):
            return NO_MODEL  # from then on, random rows tell
        earlier = model_of_half(recorded, late) if late else []
        with self._lock:
            judged = advice_of(self._state, scoring, earlier)
        return f"{found} {judged}" if found else judged
