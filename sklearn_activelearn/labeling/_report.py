"""Score of the model of a session, and what more labels are worth."""

import json
from collections import Counter
from math import floor, sqrt
from operator import eq
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from ..audit._recall import estimate_of, price_of, read_by
from ..base import KnownPredictions
from ..evaluation import Estimate, advice, explored_score, online_score
from ..evaluation._measures import MOSTLY, measures_of
from ..pool import PoolClassifier, RecallTarget
from ..pool.stopping._base import find_rules
from ..utils.typing import Floats, Id, Label
from ._progress import find_stop_reason, read_pace, read_status
from ._worker import LearnerLabels
from .front_ends._view import describe_minutes, describe_near_chance, describe_stop
from .storage._decisions import LABELLED, SKIPPED
from .storage._labels import SEVERAL, from_column

#: Largest number of further labels that the advice is about.
N_AHEAD = 50
#: A smaller lower bound on the recall is not mentioned.
LOW_RECALL = 0.1
#: The F1 of a label counts if at least this number of held-out rows have it.
FEW_ROWS = 5
#: An estimate from fewer labels than this is not given.
FEWEST = 10


class CurvePoint(NamedTuple):
    """Score of one model on the held-out rows."""

    n_labels: int  # labels that the model was trained on
    accuracy: float
    n_test: int  # rows held out by then that have a label now
    score: float  # by the measure that was asked for
    constant: float  # score of the most frequent class as a constant prediction
    measure: str  # name of the measure


class Predictions(NamedTuple):
    """Predictions of the model for rows of the pool."""

    ids: list[Id]
    labels: list[Label]
    probabilities: Floats | None  # shape (n_rows, n_classes); None: the model has none
    classes: list[Label]


class History(NamedTuple):
    """Labels of held-out rows, and what each model has predicted for them."""

    truth: list  # labels of the held-out rows that have one
    models: list  # (n_labels, predictions for the first of these rows)
    n_test: int  # held-out rows in all
    labels: list | None  # all labels, if a row may have several of them
    sampled: list  # number of rows when they were drawn, and of those drawn later


class Report(NamedTuple):
    """The learning curve and the advice of a session at one moment.

    Attributes
    ----------
    curve : list of CurvePoint
        As of `LabelingSession.curve`.
    advice : str
        As of `LabelingSession.advice`.
    """

    curve: list[CurvePoint]
    advice: str


def read_history(facts, target):
    """Return the `History` of the current learner; `target` are its labels."""
    db, decisions, models = facts.db, facts.decisions, []
    truth = [
        from_column(decisions[id].label, decisions.kind) for id in read_test_ids(facts)
    ]
    known = [i for i, label in enumerate(truth) if label is not None]
    for n_labels, predicted in db.execute(
        "SELECT n_labels, predicted FROM models WHERE learner = "
        "(SELECT max(number) FROM learners) ORDER BY number"
    ):
        labels = json.loads(predicted)
        if judged := [labels[i] for i in known if i < len(labels)]:
            models.append((n_labels, target.as_taught(judged)))
    labels = target.as_taught([truth[i] for i in known])
    names = target.classes if target.is_matrix else None
    return History(labels, models, len(truth), names, facts.settings["sampled"])


def read_test_ids(facts):
    """Return the ids of the held-out rows, in the order of the requests."""
    sql = "SELECT id FROM requests WHERE purpose = 'test' ORDER BY number"
    return facts.db.column(sql)


def make_report(file, worker, ids, empty, scoring):
    """Return the `Report` of a session.

    Parameters
    ----------
    ids : Ids
        Ids of the rows.
    empty : list of int
        Numbers of rows without content.
    """
    own = worker.own
    # rows without content are not asked for: they do not count as unread
    others = dict.fromkeys(empty, (SKIPPED, None))
    with file.reading() as facts:  # once: everything is from one moment
        history, stop_reason = read_history(facts, own.target), find_stop_reason(facts)
        decisions = facts.decisions
        status, pace = read_status(facts, ids, len(empty)), read_pace(decisions)
        held_out = [row for each in own.test.tolist() for row in own.find_twins(each)]
        for row in (*held_out, *own.earlier.tolist(), *own.pending):
            found = decisions[ids.own(ids.all[row])]
            others[row] = found.state, from_column(found.label, decisions.kind)
    waiting = [others.pop(row)[0] for row in own.pending].count(LABELLED)
    curve = [
        point for point in compute_curve(history, scoring) if point.n_test >= FEWEST
    ]
    if own.has_machine_labels:
        checked = worker.train_on_all().check_machine_labels()
        judged = str(checked or "The learner has no label yet.")
        is_counted = checked and checked.n_expected and not checked.is_certified
        n_left = checked.n_expected - checked.n_checked if is_counted else 0
        if pace and n_left > 0:
            words = describe_minutes(*pace.minutes(n_left, n_left))
            judged += f" At your pace {n_left} labels take about {words}."
        return Report(curve, judged)
    share_read = 1 - len(ids.copies) / len(ids)  # nobody reads twins
    of_rows = pace and pace._replace(mean=pace.mean * share_read)
    found = describe_recall(own, others, stop_reason, of_rows)
    if found and waiting:
        found += f"\nLabels of an unfinished batch, not counted yet: {waiting}."
    if found and not history.n_test:
        return Report(curve, found)
    if not history.n_test:
        judged = advise_without_test(own, status)
    elif history.models:
        judged = advise_on_test(history, scoring, stop_reason, len(ids), pace)
    else:
        judged = describe_missing_model(status)
    if near_chance := describe_near_chance(own.model):
        judged += f" {near_chance}"
    return Report(curve, f"{found}\n{judged}" if found else judged)


def advise_without_test(own, status):
    """Return the score of the learner on labels that it bought, in a sentence."""
    if estimate := score_learner(own.learner):
        return describe_score(own, estimate)
    if not own.has_model and getattr(own.learner, "explore", 0):
        return describe_missing_model(status)  # from then on, random rows tell
    return (
        "No rows are held out (test_size), so nothing tells how good the model is: "
        "rows that the learner chose would mislead."
    )


class Measure:
    """A measure of predictions for the held-out rows.

    Parameters
    ----------
    truth : list
        Their labels.
    scoring : str, callable or None
        A measure of predicted labels. None: accuracy, or balanced accuracy where one
        class has most of the labels.
    predicted : list of list
        All predictions that are to be scored.

    Attributes
    ----------
    name : str
        Name of the measure.
    why : str
        Why it was chosen; empty if the user has chosen it.
    majority : object
        The most frequent class.
    """

    def __init__(self, truth, scoring, predicted):
        self._y = np.asarray(truth)
        self.majority, n_most = Counter(truth).most_common(1)[0]
        self.why = ""
        if scoring is None:
            scoring = "accuracy"
            if n_most > MOSTLY * len(truth):
                scoring = "balanced_accuracy"
                self.why = f"{n_most / len(truth):.0%} of these are {self.majority!r}"
        self._classes = np.unique(
            np.concatenate([self._y, *map(np.asarray, predicted)])
        )
        self._constant = np.full(len(self._y), self.majority, dtype=self._y.dtype)
        self._set_measure(scoring, self._constant)

    def _set_measure(self, scoring, constant):
        model = KnownPredictions(constant, self._classes)
        self._measures = measures_of(scoring, model, self._y, single=True)
        (name,) = self._measures.scorers
        self.name = name.replace("_", " ")

    def encode(self, labels):
        """Return labels as scorers take them."""
        return np.asarray(labels)

    def score(self, labels):
        """Return the score of predictions for the first held-out rows."""
        X, truth = np.empty((len(labels), 1)), self._y[: len(labels)]
        model = KnownPredictions(self.encode(labels), self._classes)
        return float(self._measures(model, X, truth)[0])

    def score_constant(self, n):
        """Return the score of the majority class as a constant prediction."""
        return self.score(self._constant[:n])


class LabelsMeasure(Measure):
    """A measure of predictions for held-out rows that may have several labels.

    Parameters
    ----------
    truth : list of list
        Their labels.
    scoring : str, callable or None
        A measure of predicted labels. None: the micro-averaged F1.
    labels : list
        All labels.

    Attributes
    ----------
    name, why : str
        As of `Measure`.
    majority : list
        The most frequent labels: of all constant predictions the one with the largest
        micro-averaged F1.
    """

    def __init__(self, truth, scoring, labels):
        self._classes, self.why = labels, ""
        self.encode = LearnerLabels(labels, SEVERAL, None).encode
        self._y = self.encode(truth)
        counts = self._y.sum(axis=0)
        order = np.argsort(-counts, kind="stable")
        n_shown = len(truth) * np.arange(1, len(labels) + 1)
        best = np.argmax(2 * counts[order].cumsum() / (n_shown + counts.sum()))
        self.majority = sorted(labels[place] for place in order[: best + 1])
        self._constant = [self.majority] * len(truth)
        self._set_measure(scoring or "f1_micro", self.encode(self._constant))
        if scoring is None:
            self.name = "micro F1"

    def describe_f1(self, predicted):
        """Return the micro F1 in words, and a sentence on the macro F1.

        The macro F1 is the mean over labels that enough rows have: the F1 of other
        labels is mostly chance, and 0 where no row has the label.
        """
        y, z = self._y[: len(predicted)], self.encode(predicted)
        is_often = y.sum(axis=0) >= FEW_ROWS
        words, macro = f"a micro F1 of {describe_ratio(y & z, y + z, None)}", ""
        if n := np.count_nonzero(is_often):
            y, z = y[:, is_often], z[:, is_often]
            macro = f". The macro F1 is {describe_ratio(y & z, y + z, 0)}"
        if 0 < n < len(is_often):
            macro += f" over the {n} labels that at least {FEW_ROWS} rows have"
        return words, macro


def describe_ratio(right, shown, axis):
    """Return the mean of F1 = 2 * right / shown in words, with its interval."""
    n_shown = np.maximum(shown.sum(axis), 1)
    each = 2 * right.sum(axis) / n_shown
    # linearised: the part of each row in the error of a ratio of two sums
    parts = ((2 * right - each * shown) / n_shown).sum(axis=1) / np.size(each)
    # if all are right, the sum is 0: one wrong row is the least error to expect
    n = len(parts)
    error = max(2 * sqrt((parts**2).sum() * n / max(n - 1, 1)), 2 / n)
    value = np.mean(each)
    low, high = max(0, value - error), min(1, value + error)
    return f"{value:.2f} (95 %: {low:.2f}–{high:.2f})"


def make_measure(history, scoring):
    """Return the measure of the predictions of a `History`."""
    if history.labels is not None:
        return LabelsMeasure(history.truth, scoring, history.labels)
    return Measure(history.truth, scoring, [labels for _, labels in history.models])


def compute_curve(history, scoring):
    """Return a `CurvePoint` for each model."""
    if not history.models:
        return []
    truth, measure = history.truth, make_measure(history, scoring)
    lengths = {len(labels) for _, labels in history.models}
    constants = {n: measure.score_constant(n) for n in lengths}
    return [
        CurvePoint(
            n_labels, sum(map(eq, labels, truth)) / len(labels), len(labels),
            measure.score(labels), constants[len(labels)], measure.name,
        )
        for n_labels, labels in history.models
    ]  # fmt: skip


# --- advice


def describe_missing_model(status):
    """Return how many labels a first model needs, in a sentence."""
    n_more, known = max(1, status.pending), [c for c, n in status.by_class.items() if n]
    if len(known) > 1 and status.asked + status.n_test == 0:
        return (
            f"There is no model yet: the {status.labelled} known labels are learned "
            "when the first row is shown."
        )
    more = f"{n_more} more label{'s' * (n_more > 1)}"
    second = " and a second class is known" * (len(known) == 1)
    return f"There is no model yet. It is trained after {more}{second}."


def advise_on_test(history, scoring, stop_reason, n_rows, pace):
    """Return the score on held-out rows, and what more labels are worth, in sentences.

    Parameters
    ----------
    history : History
        At least one held-out row.
    scoring : str, callable or None
        As for `Measure`.
    stop_reason : str or None
        Why the session has ended, if it has.
    n_rows : int
        Number of rows now.
    pace : Pace or None
        Time that people take for a label.
    """
    truth = history.truth
    measure = make_measure(history, scoring)
    n_labels, predicted = history.models[-1]
    n, macro = len(predicted), ""
    if n < FEWEST:
        return describe_few("held-out", n)
    is_share = measure.name.endswith("accuracy")
    value, constant = (
        f"{number:.0%}" if is_share else f"{number:.2f}"
        for number in (measure.score(predicted), measure.score_constant(n))
    )
    what = f"the model has a {measure.name} of {value} on"
    if measure.name == "accuracy":
        right = "is right" if history.labels is None else "has all labels right"
        what = f"the model {right} on {value} of"
    if measure.name == "micro F1":
        micro, macro = measure.describe_f1(predicted)
        what = f"the model has {micro} on"
    now = (
        f"With {n_labels} labels {what} {n} held-out rows, which it was not trained on "
        f"({describe_interval(measure.name, predicted, truth[:n])}always "
        f"{measure.majority!r}: {constant})"
    )
    if measure.why:
        now += f"; the score is the mean over classes, because {measure.why}"
    if stop_reason:
        now += f", and the session has ended: {describe_stop(stop_reason)}"
    n_then, n_later = history.sampled
    if n_later:
        now += (
            f"; {n_later} of the held-out rows were drawn later, among rows that "
            "nobody had asked for until then"
        )
    if n_new := n_rows - n_then:
        now += f"; they do not represent the {n_new} rows that were added since"
    now += macro
    n_left = n_rows - n_labels - history.n_test
    if stop_reason == "no rows" or n_left < 1:
        return f"{now}."
    models, n = comparable_models(history.models)
    if (n_first := min(n_then for n_then, _ in models)) > n_labels / 2:
        return (
            f"{now}. Whether more labels help can be told from {2 * n_first} labels "
            f"on: the first model that was judged on these rows had {n_first}."
        )
    if history.labels is not None:  # right means that all labels of a row are right
        if measure.name != "accuracy":
            share = np.mean([*map(eq, predicted, truth)])
            now += f". All labels are right on {share:.0%} of the rows"
        truth = [*map(str, truth)]
        models = [(n_then, [*map(str, labels)]) for n_then, labels in models]
    n_next = min(N_AHEAD, n_labels, n_left)
    worth = f"{now}. {advice(models, truth[:n], n_labels=n_next)}"
    if pace:
        minutes = describe_minutes(*pace.minutes(n_next, n_next))
        worth += f" At your pace {n_next} labels take about {minutes}."
    return worth


def describe_few(kind, n):
    """Return that rows are too few for an estimate."""
    have = f"{n} {kind} row{' has a label' if n == 1 else 's have labels'}"
    return f"{have}: from {FEWEST} on, they tell how good the model is."


def describe_interval(name, predicted, truth):
    """Return the interval of an accuracy in words; "" for other measures.

    It is Wilson's, which ends between 0 and 1. For the mean over classes, the distances
    of the ends from the shares of the classes add up as errors do.
    """
    if name not in ("accuracy", "balanced accuracy"):
        return ""
    classes = [None] if name == "accuracy" else list(dict.fromkeys(truth))
    shares, ends = [], []
    for c in classes:
        of_class = [k for k, label in enumerate(truth) if c is None or label == c]
        n_right = sum(predicted[k] == truth[k] for k in of_class)
        shares.append(n_right / len(of_class))
        ends.append(binomtest(n_right, len(of_class)).proportion_ci(0.95, "wilson"))
    distances = np.linalg.norm(np.transpose(ends) - shares, axis=1) / len(classes)
    low, high = np.mean(shares) + np.array([-1, 1]) * distances
    return f"95 %: {low:.0%}–{high:.0%}; "


def comparable_models(models):
    """Return models with predictions for the same rows, and the number of these rows.

    If a model of at most half the labels has predictions for all rows of the last one,
    these are the rows; otherwise the rows for which every model has predictions.
    """
    n_labels, predicted = models[-1]
    whole = [each for each in models if len(each[1]) == len(predicted)]
    if whole[0][0] <= n_labels / 2:
        return whole, len(predicted)
    n = min(len(labels) for _, labels in models)
    return [(n_then, labels[:n]) for n_then, labels in models], n


def score_learner(learner):
    """Return the accuracy of a learner from labels that it bought, None if unknown."""
    if isinstance(learner, PoolClassifier):
        if not learner.make_trainer().follows_from_labels:
            return None
        found = explored_score(learner)
    else:
        try:
            error = online_score(learner)
        except ValueError:  # it does not ask for rows on which it may be wrong
            return None
        ends = 1 - error.high, 1 - error.low
        found = Estimate(1 - error.value, *ends, error.n_labels, error.confidence)
    return found if found.n_labels else None


def describe_score(own, estimate):
    """Return the accuracy of the learner of a session in a sentence."""
    learner = own.learner
    if estimate.n_labels < FEWEST:
        return describe_few("random", estimate.n_labels)
    right = "has all labels right" if own.target.is_matrix else "is right"
    low, high = (f"{100 * end:.0f}" for end in (estimate.low, estimate.high))
    n = estimate.n_labels
    rows, how = "the rows so far", f"{n} labels, each before it was taught"
    if isinstance(learner, PoolClassifier):
        rows, how = "rows like these", f"{n} random rows that it bought"
    return (
        f"With {learner.n_taught_} labels the model {right} on {estimate.value:.0%} "
        f"of {rows} (95 %: {low}–{high}), judged by {how}."
    )


def describe_recall(own, others, stop_reason, pace):
    """Return what was found of a class, what is left and what certainty costs.

    Parameters
    ----------
    own : SessionLearner
        The learner of the session.
    others : dict of int to (str, label)
        State and label of held-out rows, of rows that an earlier learner asked for and
        of rows without content, which count as skipped, by row number.
    stop_reason : str or None
        Why the session has ended, if it has.
    pace : Pace or None
        Time that people take for a row.

    Returns
    -------
    lines : str or None
        None unless the learner stops at a recall.
    """
    learner = own.learner
    if not isinstance(learner, PoolClassifier):
        return None
    rules = find_rules(learner.stopping)
    target = next((rule for rule in rules if isinstance(rule, RecallTarget)), None)
    if target is None:
        return None
    if not own.taught:
        return "The learner has no label yet."
    wanted = target.positive, learner.positive, max(learner.classes_.tolist())
    positive = next(label for label in wanted if label is not None)
    as_taught = own.target.as_taught
    skipped = [row for row, (state, _) in others.items() if state == "skipped"]
    aside = {
        row: None if label is None else as_taught([label]) == [positive]
        for row, (state, label) in others.items()
        if row not in own.taught and state != "skipped"
    }
    sure = {
        RecallTarget.__name__: f"A recall of {target.recall:.0%} is certain, at a "
        f"confidence of {target.confidence:.0%}.",
        "no rows": "No row is left to read, so no relevant row is missed (skipped rows "
        "do not count).",
    }
    if stop_reason in sure and None not in aside.values():
        n_found = as_taught([*own.taught.values()]).count(positive)
        n_found += sum(aside.values())
        n_read = len(own.taught) + len(aside)
        return f"Found: {n_found} in {n_read} rows read.\n{sure[stop_reason]}"
    try:
        args = learner, own.pool, target.positive, own.ids, skipped, aside
        reads, probabilities = read_by(*args)
    except ValueError as error:
        more = ""
        if stop_reason == "budget":
            more = " The budget is spent: raise it to go on."
        return f"{error}{more}"
    price = price_of(reads, probabilities, target.recall, target.confidence)
    bound = estimate_of(reads, target.confidence, True, probabilities)
    # a row that an earlier learner asked for and nobody has read cannot be drawn
    has_unread = any(aside.get(row, 0) is None for row in own.earlier.tolist())
    known = 0 if has_unread or bound.low < LOW_RECALL else bound.low
    return describe_price(price, known, pace)


def describe_price(price, known, pace):
    """Return a `RecallPrice` in three lines: found, left, cost of certainty.

    Parameters
    ----------
    price : RecallPrice
        Counts and estimates.
    known : float
        Lower bound on the recall; 0: it is not mentioned.
    pace : Pace or None
        Time that people take for a row.
    """
    low, high = (max(0, end - price.found) for end in price.likely)
    n_left = max(0, round(price.n_relevant) - price.found)
    goal = f"a recall of {price.recall:.0%}"
    least, most = price.likely_rows
    reading, certainty = (
        f" ({describe_minutes(*pace.minutes(*ends))})" if pace and ends[1] else ""
        for ends in (price.likely_rows, [price.n_certain] * 2)
    )
    reach = f"Likely {least} to {most} more rows{reading} reach {goal}."
    chance = price.p_reached
    if round(chance, 2) >= 0.9:
        chance = min(chance, 0.99)
        reach = f"The chance that {goal} is reached already is {chance:.0%}."
    elif chance >= 0.01:
        reach = f"{reach[:-1]}, unless it is reached already (chance {chance:.0%})."
    now = f" Certain now: at least {floor(100 * known)}% are found." if known else ""
    return (
        f"Found: {price.found} in {price.n_read} of {price.n_rows} rows read.\n"
        f"Estimated left: {n_left} (likely {low} to {high}). {reach}\n"
        f"To be {price.confidence:.0%} certain of {goal}: about {price.n_certain} more "
        f"rows{certainty}.{now}"
    )
