"""Machine labels: read the rows that are likely to be wrong, certify the others."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from ..base._labels import is_missing_label, plain_labels
from ..base._transaction import shallow_copy
from ..base._validation import check_selection
from ..pool._base import NEEDS_ALL, PoolClassifier
from ..pool._ledger import PENDING
from ..pool._passive import passive_baseline
from ..pool._rule import Rule
from ..pool._selection import draw_rows, find_best, random_purchase, ranked_purchase
from ..pool.stopping import CheckedSample
from ..pool.stopping._error_target import ErrorTarget, find_error_target
from ..sources._containers import NO_ROWS, n_rows
from ..sources._identity import VALUES, identify, plain_id
from ..utils._statistics import Estimate, most_by_sample
from ..utils.typing import (
    Classifier,
    Embedding,
    Floats,
    Ints,
    Labels,
    RowsLike,
    Seed,
    Stopping,
)

#: Purpose of the rows of the random sample that tests the machine labels, and a number
#: that makes their draw independent of all others, such as of the reference rows.
SAMPLE, SAMPLE_SEED = "sample", 3

#: Origins of the labels in the result.
PERSON, MACHINE, MISSING = "person", "machine", "missing"

#: Fewest rows between two rankings if `batch_size` is a share.
FEWEST = 50

#: Reference rows of the kernel, the weight of a person's label against the weight 1 of
#: a machine label, and the penalties among which the leave-one-out error chooses.
N_REFERENCE, WEIGHT = 300, 3.0
PENALTIES = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)

#: A model of wrong against right is trained when this number of wrong labels is known.
FEWEST_WRONG = 3


def leave_one_out(Z, targets, weights):
    """Return the values of a weighted ridge regression, each fitted without its row.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_features)
        Features.
    targets : ndarray of shape (n_samples, n_targets)
        Values to predict; rows with the weight 0 have none.
    weights : ndarray of shape (n_samples,)
        Weights of the rows.
    """
    fitted = weights > 0
    w, total = weights[fitted, None], weights.sum()
    center, level = w.T @ Z[fitted] / total, w.T @ targets[fitted] / total
    # rows times the roots of their weights make weighted least squares ordinary
    A, B = np.sqrt(w) * (Z[fitted] - center), np.sqrt(w) * (targets[fitted] - level)
    # one decomposition serves all penalties; rounding may turn 0 into a negative number
    values, vectors = np.linalg.eigh(A.T @ A)
    values, A = np.maximum(values, 0), A @ vectors
    moments, squares, best = A.T @ B, A**2, np.inf
    for penalty in PENALTIES:
        shrunk = moments / (values + penalty)[:, None]
        # a row with a leverage of 1 decides its own value, and would divide by 0
        leverage = squares @ (1 / (values + penalty)) + w[:, 0] / total
        residuals = (B - A @ shrunk) / np.maximum(1 - leverage, 1e-3)[:, None]
        if (error := np.sum(residuals**2)) < best:
            best, found = error, (shrunk, residuals)
    out = level + (Z - center) @ (vectors @ found[0])
    out[fitted] = targets[fitted] - found[1] / np.sqrt(w)
    return out


def score_errors(Z, machine, people, confidence, n_classes):
    """Return how likely each machine label is wrong; only the order has a meaning.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_features)
        Features.
    machine, people : ndarray of int of shape (n_samples,)
        Codes of the labels of the machine and of people, -1 for none.
    confidence : ndarray of shape (n_samples,) or None
        Confidence of the machine, between 0 and 1.
    n_classes : int
        Number of codes.
    """
    rows, one_hot = np.arange(len(machine)), np.eye(n_classes)
    labels = np.where(people >= 0, people, machine)
    weights = np.where(people >= 0, WEIGHT, 1.0) * (labels >= 0)
    scores = leave_one_out(Z, 2 * one_hot[labels] - 1, weights)
    own = scores[rows, machine].copy()
    scores[rows, machine] = -np.inf
    columns = [scores.max(axis=1) - own]
    if confidence is not None:
        share = np.clip(confidence, 1e-3, 1 - 1e-3)  # odds of 0 and 1 are infinite
        columns.append(np.log(1 - share) - np.log(share))
    is_read, is_wrong = (people >= 0) & (machine >= 0), people != machine
    n_wrong = np.count_nonzero(is_wrong[is_read])
    # without a right label there are no two classes to tell apart
    if FEWEST_WRONG <= n_wrong < np.count_nonzero(is_read):
        known = np.hstack([Z, one_hot[machine], *(c[:, None] for c in columns[1:])])
        columns += leave_one_out(known, 1.0 * is_wrong[:, None], 1.0 * is_read).T
        table = np.column_stack(columns)
        table = (table - table.mean(axis=0)) / (table.std(axis=0) + 1e-12)
        model = LogisticRegression(max_iter=1000)
        return model.fit(table[is_read], is_wrong[is_read]).decision_function(table)
    return columns[0]


class Machine:
    """Labels of the machine for the rows of a pool.

    Parameters
    ----------
    labels : list
        None for a row without a label.
    confidence : ndarray of shape (n_samples,), optional
        Confidence in each label.
    """

    def __init__(self, labels, confidence=None):
        self.labels, self.confidence = np.empty(len(labels), object), confidence
        self.labels[:] = labels
        self.has_label = self.labels != None  # noqa: E711

    def is_right(self, people):
        """Return for each row whether a person's label confirms the machine's."""
        return self.has_label & (self.labels == people)

    def error(self, people, rows):
        """Return the share of wrong labels, from random rows that people have read."""
        rows = rows[((people != None) & self.has_label)[rows]]  # noqa: E711
        if not len(rows):
            return Estimate(np.nan, 0.0, 1.0, 0)
        n_all, n = int(np.count_nonzero(self.has_label)), len(rows)
        n_wrong = int(np.count_nonzero(~self.is_right(people)[rows]))
        high = most_by_sample(n_all, n, n_wrong, 0.025) / n_all
        low = 1 - most_by_sample(n_all, n, n - n_wrong, 0.025) / n_all
        return Estimate(n_wrong / n, low, high, n)


@dataclass(frozen=True)
class RandomSample:
    """The random sample that tests the machine labels; its rows are in the ledger.

    Parameters
    ----------
    n_drawn_from : int
        Number of rows from which it was drawn; 0 before the draw.
    reached : ndarray of int
        Numbers of the sample rows, in the order drawn, that the ranking has reached.
    """

    n_drawn_from: int = 0
    reached: np.ndarray = field(default_factory=NO_ROWS.copy)

    def entries(self, ledger):
        """Return the entries of sample rows in the pool, and which are reached."""
        (entries,) = np.nonzero(ledger.purposes == SAMPLE)
        is_reached = np.isin(np.arange(len(entries)), self.reached)
        in_pool = ledger.found[entries] >= 0
        return entries[in_pool], is_reached[in_pool]

    def open_rows(self, ledger):
        """Return the row numbers of sample rows that the ranking has not reached."""
        entries, is_reached = self.entries(ledger)
        return ledger.found[entries[~is_reached]]

    def read_rows(self, ledger):
        """Return which rows of the pool have a label that the ranking may see."""
        is_read = np.zeros(ledger.n_pool_rows, dtype=bool)
        is_read[ledger.found[(ledger.positions >= 0) & (ledger.found >= 0)]] = True
        is_read[self.open_rows(ledger)] = False
        return is_read

    def reach(self, ledger, rows):
        """Return the sample after the ranking has reached these rows of the pool."""
        found = ledger.found[ledger.purposes == SAMPLE]
        (numbers,) = np.nonzero(np.isin(found, rows))
        return replace(self, reached=np.union1d(self.reached, numbers))

    def n_missing(self, ledger, target):
        """Return how many rows the sample still needs for a target; 0 for None."""
        if target is None:
            return 0
        plan = target.plan(self.n_drawn_from or ledger.n_offered - ledger.n_queries)
        return max(plan.n_sample - len(self.entries(ledger)[0]), 0)

    def describe(self, ledger, machine, people, n_left):
        """Return the `CheckedSample` of a pool in which `n_left` rows may be bought."""
        in_pool, (entries, is_reached) = ledger.found >= 0, self.entries(ledger)
        first = entries[0] if len(entries) else len(in_pool)
        is_apart = in_pool & ((ledger.rows < 0) | (np.arange(len(in_pool)) < first))
        is_read = is_reached & (ledger.positions[entries] >= 0)
        is_wrong, is_gap = ~machine.is_right(people), ~machine.has_label
        is_gap &= people == None  # noqa: E711
        is_gap[ledger.found[in_pool & (ledger.positions == PENDING)]] = False
        n_all = np.count_nonzero(in_pool) + n_left
        n_outside = n_all - self.n_drawn_from - np.count_nonzero(is_apart)
        return CheckedSample(
            n_all,
            len(entries),
            int(np.count_nonzero(is_wrong[ledger.found[entries]] & ~is_read)),
            int(max(n_outside, 0)),
            int(np.count_nonzero(is_gap)),
            int(n_all - np.count_nonzero(people != None)),  # noqa: E711
        )


def labels_of_people(ledger, n_rows, classes):
    """Return the label of each row of the pool by people, None for none."""
    out, entries = np.full(n_rows, None), ledger.taught
    inside = ledger.found[entries] >= 0
    codes = ledger.labelled.codes[inside]
    if len(codes):
        out[ledger.found[entries[inside]]] = classes.astype(object)[codes]
    return out


class Ranking(NamedTuple):
    """Rows in the order in which to read them, before a purchase.

    Attributes
    ----------
    machine : Machine
        Labels of the machine.
    people : ndarray of object
        Labels of people.
    order : ndarray of int
        Row numbers.
    scores : ndarray
        How likely each machine label is wrong, in this order.
    """

    machine: Machine
    people: Labels
    order: Ints = NO_ROWS
    scores: Floats = np.empty(0)


class ErrorRule(Rule):
    """Rows whose machine labels are most likely wrong; first, a random sample.

    Parameters
    ----------
    labels, confidence
        `machine_labels` and `machine_confidence` of the learner.
    n_initial, stopping
        As for the learner.
    """

    reason = "doubtful"
    share_of_labels = FEWEST
    ends_batches = True  # the ranking ends them
    needs_pool = NEEDS_ALL

    def __init__(self, labels, confidence, n_initial, stopping):
        self.labels, self.confidence, self.n_initial = labels, confidence, n_initial
        #: True if a rule other than `ErrorTarget` judges the model.
        self.uses_model = stopping is not None and not isinstance(stopping, ErrorTarget)
        self.target = find_error_target(stopping)

    def check(self):
        """Raise an error for labels that are no labels."""
        if self.labels is not None:
            values_of("machine_labels", self.labels)
        if self.confidence is not None:
            values_of("machine_confidence", self.confidence)
        if self.labels is None and self.confidence is not None:
            raise ValueError("machine_confidence needs machine_labels.")

    def check_classes(self, classes):
        """Raise an error for a machine label that is not one of the classes."""
        if self.labels is not None:
            check_known(values_of("machine_labels", self.labels), classes)

    def check_pool(self, identity, target, memory):
        """Raise an error if the machine's labels do not suit the rows."""
        if self.target is not None and not (memory and memory.n_drawn_from):
            self.target.plan(len(identity))  # raises before a label is bought
        machine = self.machine(identity, target.classes)
        if not target.may_grow and self.labels is not None:
            check_known(machine.labels.tolist(), target.classes.tolist())

    def machine(self, identity, classes):
        """Return the machine's labels of a pool."""
        n = len(identity)
        ids = None if identity.kind == VALUES else identity.names()
        if self.labels is None:
            return Machine([None] * n)
        labels = values_of("machine_labels", self.labels, n, ids)
        # as the learner writes them: 1 for a machine's 1.0 or True
        own = {} if classes is None else {label: label for label in classes.tolist()}
        labels = [own.get(label, label) for label in labels]
        if self.confidence is None:
            return Machine(labels)
        values = values_of("machine_confidence", self.confidence, n, ids)
        for row, (label, value) in enumerate(zip(labels, values, strict=True)):
            is_number = isinstance(value, int | float) and 0 <= value <= 1
            if not (is_number or (value is None and label is None)):
                raise ValueError(
                    f"machine_confidence must be between 0 and 1, got {value!r} for "
                    f"row {row}."
                )
        confidence = [0.5 if value is None else value for value in values]
        return Machine(labels, np.array(confidence))

    def scores(self, X, machine, people, is_read, classes, embedder):
        """Return how likely each machine label is wrong, from the rows read."""
        classes = dict.fromkeys([*classes.tolist(), *machine.labels])
        classes.pop(None, None)
        codes = {label: code for code, label in enumerate(classes)} | {None: -1}
        own, known = (
            np.array([codes[label] for label in each])
            for each in (machine.labels, people)
        )
        known[~is_read] = -1
        Z = embedder.embed(X).kernel_features(N_REFERENCE)
        scores = score_errors(Z, own, known, machine.confidence, len(classes))
        return np.where(own < 0, scores.max() + 1, scores)  # gaps come first

    def can_choose(self, ledger, classes):
        """Return True if the model, if one is needed, knows two classes."""
        labelled = ledger.labelled
        return labelled.has_two_classes if self.uses_model else len(labelled) > 0

    def prepare(self, round, limit):
        """Return the round with the ranking, after which its batch is known."""
        rows, ledger, drawn = round.rows, round.ledger, round.memory or RandomSample()
        classes, n_left = round.known.classes, len(round.rows)
        n_first = drawn.n_missing(ledger, self.target)
        can_choose = self.can_choose(ledger, classes)
        round = round._replace(
            candidates=rows,
            memory=drawn,
            initial=None if can_choose and not n_first else "random",
        )
        if n_first or not n_left:
            return round._replace(n_batch=min(n_first, n_left))
        machine = self.machine(round.identity, classes)
        people = labels_of_people(ledger, n_rows(round.X), classes)
        ranking = Ranking(machine, people)
        if limit:
            order, scores = self._rank(round, ranking, rows)
            n_leading = int(np.argmax(np.isin(order, rows)))
            # before the size of the batch is known, which depends on the rows read
            drawn = drawn.reach(ledger, order[:n_leading])
            ranking = ranking._replace(
                order=order[n_leading:], scores=scores[n_leading:]
            )
        n_missing = self.n_initial - np.count_nonzero(drawn.read_rows(ledger))
        n_batch = n_missing if n_missing > 0 else round.choice.n_next(ledger)
        return round._replace(
            memory=drawn,
            n_batch=min(n_batch, n_left),
            ranking=ranking,
            sample=drawn.describe(ledger, machine, people, n_left),
        )

    def _rank(self, round, ranking, rows):
        """Return these rows and the open sample rows, in the order to read them."""
        ledger, drawn, machine = round.ledger, round.memory, ranking.machine
        rows = np.sort(np.append(rows, drawn.open_rows(ledger)))
        is_read, utilities = drawn.read_rows(ledger), np.zeros(n_rows(round.X))
        if machine.has_label.any() and np.count_nonzero(is_read) >= self.n_initial:
            utilities = self.scores(
                round.X,
                machine,
                ranking.people,
                is_read,
                round.known.classes,
                round.embedder(),
            )
        order = rows[find_best(utilities[rows], len(rows), round.seed)]
        return order, utilities[order]

    def select(self, round):
        """Draw the sample, or take the rows that the ranking begins with."""
        rows, n_wanted, ledger = round.rows, round.n_wanted, round.ledger
        drawn, target = round.memory, self.target
        if round.sample is None:  # the sample is drawn before rows are ranked
            if not drawn.n_drawn_from:
                drawn = replace(drawn, n_drawn_from=len(rows))
            seed = *round.seed, SAMPLE_SEED
            return draw_rows(rows, n_wanted, seed, SAMPLE)._replace(memory=drawn)
        machine, people, order, scores = round.ranking
        places = np.flatnonzero(np.isin(order, rows))
        end = len(order) if n_wanted >= len(places) else places[n_wanted]
        if target is not None and (n_excess := target.n_excess(round.sample)) > 0:
            # the batch ends with the sample row at which the certificate can be given
            is_right = machine.is_right(people)[order]
            is_right[places] = True
            wrong = np.flatnonzero(~is_right)
            if len(wrong) >= n_excess:
                end = min(end, wrong[n_excess - 1] + 1)
        drawn = drawn.reach(ledger, order[:end])
        places = places[places < end]
        if np.count_nonzero(drawn.read_rows(ledger)) < self.n_initial:
            bought = random_purchase(order[places], len(places) / len(rows))
        else:
            bought = ranked_purchase(order[places], scores[places])
        return bought._replace(memory=drawn)

    select_first = select

    def to_record(self, memory):
        """Return the sample as JSON."""
        drawn = memory or RandomSample()
        return {"drawn_from": drawn.n_drawn_from, "reached": drawn.reached.tolist()}

    def from_record(self, record):
        """Return the sample of a record."""
        reached = np.array(record.reached or [], dtype=np.int64)
        return RandomSample(record.drawn_from or 0, reached)


def values_of(name, given, n=None, ids=None):
    """Return the values of a parameter, for each row if `n` is given, as a list.

    Missing values are None.
    """
    values = given
    if isinstance(values, Mapping) and n is None:
        values = list(values.values())
    elif isinstance(values, Mapping):
        if ids is None:
            raise ValueError(
                f"{name} is a dict of ids, but the rows have no ids. Pass ids=, or "
                "one value for each row of X."
            )
        names = [plain_id(id) for id in ids]
        if values and names and not any(own in values for own in names):
            raise ValueError(
                f"{name} has none of the ids of the rows, such as {names[0]!r}; "
                f"one of its keys is {next(iter(values))!r}."
            )
        values = [values.get(own) for own in names]
    else:
        values = np.asarray(plain_labels(values), dtype=object)
        if values.ndim != 1 or n not in (None, len(values)):
            is_scalar = isinstance(given, str | bool)
            raise (TypeError if is_scalar else ValueError)(
                f"{name} must have one value for each row of X"
                f"{'' if n is None else f', {n}'}, or be a dict of id to value, "
                f"got shape {values.shape}."
            )
        values = values.tolist()
    values = [each.item() if hasattr(each, "item") else each for each in values]
    return [None if is_missing_label(each) or each == "" else each for each in values]


def check_known(labels, classes):
    """Raise an error for a machine label that is not one of the classes."""
    known = {None, *classes}
    for row, label in enumerate(labels):
        if label not in known:
            raise ValueError(
                f"machine_labels has {label!r}, value {row}, which is not one of "
                f"the classes {classes}. Correct it, or leave it empty, so that a "
                "person labels the row."
            )


@dataclass(frozen=True)
class CheckedLabels:
    """Final labels of a pool, and what is certain about them.

    Printed, it is a certificate, or the number of rows that it is expected to need.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        A person's label where a person has read the row, else the machine's; None for a
        row that has neither.
    origins : ndarray of str of shape (n_samples,)
        "person", "machine" or "missing".
    is_certified : bool
        True if at most the share `error` of the labels is wrong, with the stated
        confidence.
    error, confidence : float or None
        Parameters of the `ErrorTarget`; None without one.
    n_rows : int
        Number of rows that the certificate is about.
    n_checked : int
        Number of labels by people.
    machine_error : Estimate
        Share of wrong machine labels, from the random sample; NaN without one.
    n_expected : int or None
        Number of labels by people that the certificate is expected to need in all; None
        while the sample is not labelled, or without an `ErrorTarget`.
    """

    labels: Labels
    origins: Labels
    is_certified: bool
    error: float | None
    confidence: float | None
    n_rows: int
    n_checked: int
    machine_error: Estimate
    n_expected: int | None

    def __str__(self) -> str:
        n, checked = f"{self.n_rows:,}", f"{self.n_checked:,}"
        machine, now = self.machine_error, f"{checked} of {n} labels were checked"
        own = ""
        if machine.n_labels:
            low, high = 100 * machine.low, 100 * machine.high
            own = (
                f"; the machine's own error is {100 * machine.value:.1f}% "
                f"({low:.1f}–{high:.1f})"
            )
        if self.is_certified:
            return (
                f"With a confidence of {100 * self.confidence:g}%, at most "
                f"{100 * self.error:g}% of the {n} labels are wrong; {checked} were "
                f"checked{own}."
            )
        if self.n_expected is None:
            return f"{now}{own}. There is no certificate yet."
        return (
            f"{now}{own}. About {self.n_expected:,} checked labels in all are expected "
            f"to certify an error of at most {100 * self.error:g}%."
        )


class ErrorSamplingClassifier(PoolClassifier):
    r"""Pool learner that checks machine labels and certifies the others.

    Every row has a label from a language model, a rule or an older model. People read
    the rows whose machine labels are most likely wrong, until at most the share that
    `ErrorTarget` allows is wrong. They teach true labels, whether the machine is right
    or not. `result` returns the final labels with their origins and a certificate.

    Parameters
    ----------
    machine_labels : array-like of shape (n_samples,) or dict, default=None
        Label of each row of the pool, in the order of the pool; or a dict of id to
        label, if rows have ids. None, NaN or an empty text: the machine has no label
        for the row, so that a person labels it. None: there are no machine labels.

    machine_confidence : array-like of shape (n_samples,) or dict, default=None
        Confidence of the machine in each label, between 0 and 1. NaN only where the
        label is missing.

    estimator : classifier, default=None
        Model that predicts new rows, trained on the labels of people; it does not
        choose rows. Cloned, never changed. None: ``LogisticRegression()``.

    n_initial : int >= 1, default=50
        Number of random rows to read before rows are ranked.

    batch_size : int >= 1 or float in (0, 1), default=0.2
        Number of rows between two rankings. A float is a share of the labels that
        people have given, including the labels of the sample; at least 50 rows.

    embedding : transformer, callable or None, default=None
        Map from rows to points, between which distances are measured. It is fitted once
        on each pool, without labels. None requires rows of numbers. Texts (fewer than 1
        number in 20 is not zero) are divided by their norms. Other rows are unchanged
        if they all have one norm. Otherwise each column is divided by its standard
        deviation or, if it is mostly zero, by its largest absolute value.

    budget : int >= 0, float in [0, 1] or None, default=None
        Number of labels it may buy, as for `MinMarginClassifier`. None: no limit.

    stopping : str, stopping rule or list of these, default=None
        `ErrorTarget` certifies the labels and asks for its random sample first.
        Without it, rows are read in the order of the ranking until the budget ends.

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
    sklearn_activelearn.pool.ErrorTarget : The error to reach, and the size of the
        sample.
    sklearn_activelearn.evaluation.ActiveTest : Estimates the error of machine labels
        without correcting them.

    Notes
    -----
    The random sample is drawn before rows are ranked. The ranking is trained without
    its labels and ranks its rows among the others; a sample row that it reaches counts
    as read, without a second request. Therefore the certificate holds for any ranking.
    In all calls, `candidates` and `exclude` must name the same rows: rows that could
    not be drawn count as wrong.

    The ranking is a logistic regression on the rows read, of (1) the score of the best
    other class minus the score of the machine's class, by a ridge regression on all
    rows in which a machine label has the weight 1 and a person's label the weight 3;
    (2) the value of a ridge regression of wrong against right on the rows read; (3) the
    logit of the confidence. Both regressions are on approximate features of a Gaussian
    kernel with 300 reference rows, and values of rows they know are leave-one-out
    values. Statements that hold for any machine, from its labels and few labels of
    people, are the subject of [1]_ (estimates) and [2]_ (labels; rows are read in the
    order of the machine's uncertainty).

    References
    ----------
    .. [1] A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic,
       "Prediction-powered inference", Science 382, 2023.
    .. [2] E. J. Candès, A. Ilyas, T. Zrnic, "Probably Approximately Correct Labels",
       arXiv:2506.10908, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import ErrorSamplingClassifier
    >>> from sklearn_activelearn.pool import ErrorTarget
    >>> X, y = load_digits(return_X_y=True)
    >>> rng = np.random.default_rng(0)
    >>> machine = np.where(rng.random(len(y)) < 0.1, (y + 1) % 10, y)
    >>> learner = ErrorSamplingClassifier(
    ...     machine, stopping=ErrorTarget(0.02), random_state=0
    ... ).fit(X / 16, y)
    >>> result = learner.result(X / 16)
    >>> print(result)  # doctest: +NORMALIZE_WHITESPACE
    With a confidence of 95%, at most 2% of the 1,797 labels are wrong; 566 were
    checked; the machine's own error is 10.0% (7.6–13.0).
    >>> print(f"{np.mean(machine != y):.3f} {np.mean(result.labels != y):.3f}")
    0.100 0.009
    """

    def __init__(
        self,
        machine_labels: ArrayLike | Mapping[Any, Any] | None = None,
        *,
        machine_confidence: ArrayLike | Mapping[Any, float] | None = None,
        estimator: Classifier | None = None,
        n_initial: int = 50,
        batch_size: int | float = 0.2,
        embedding: Embedding | None = None,
        budget: int | float | None = None,
        stopping: Stopping | None = None,
        random_state: Seed = None,
    ):
        self.machine_labels = machine_labels
        self.machine_confidence = machine_confidence
        self.estimator = estimator
        self.n_initial = n_initial
        self.batch_size = batch_size
        self.embedding = embedding
        self.budget = budget
        self.stopping = stopping
        self.random_state = random_state

    def make_rule(self):
        """Return the rule."""
        return ErrorRule(
            self.machine_labels, self.machine_confidence, self.n_initial, self.stopping
        )

    def _passive_baseline(self):
        return passive_baseline(self).set_params(batch_size=FEWEST)

    def result(
        self,
        X: RowsLike,
        *,
        exclude: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> CheckedLabels:
        """Return the final labels of the pool, their origins and the certificate.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or what the estimator takes
            The whole pool.
        exclude : array-like of int, or of bool of shape (n_samples,), default=None
            Row numbers of X that `query` excluded, too. The certificate is not about
            excluded rows that nobody has read.
        ids : array-like of int or of str of shape (n_samples,), default=None
            Unique ids of the rows of X. Rows are recognised by their ids, and their
            values may change between calls. Pass ids in all calls or in none.

        Returns
        -------
        result : CheckedLabels
            Printed, it says what is certain.

        Raises
        ------
        NotFittedError
            If nobody has taught a label.
        ValueError
            For rows that are not the pool, or wrong machine labels.
        """
        learner = shallow_copy(self)
        check_is_fitted(learner)
        X = learner._validate(X, min_rows=0, ids=ids)
        identity = identify(learner, X, ids, is_pool=True)
        candidates = check_selection(None, exclude, n_rows(X))
        learner._check_pool(X, identity)
        is_left = learner._find_rows_for_sale(X, identity, candidates)
        parts, ledger, classes = learner._parts, learner._ledger, learner.classes_
        rule, target = parts.rule, find_error_target(learner.stopping)
        drawn = learner._state.rule_memory or RandomSample()
        machine = rule.machine(identity, classes)
        people = labels_of_people(ledger, n_rows(X), classes)
        sample = drawn.describe(ledger, machine, people, np.count_nonzero(is_left))
        entries, _ = drawn.entries(ledger)
        is_read = people != None  # noqa: E711
        labels = np.where(is_read, people, machine.labels)
        origins = np.where(machine.has_label, MACHINE, MISSING)
        origins = np.where(is_read, PERSON, origins)
        n_excess, n_checked = None, int(np.count_nonzero(is_read))
        is_drawn = target is not None and not drawn.n_missing(ledger, target)
        if is_drawn and PENDING not in ledger.positions[entries]:
            n_excess = target.n_excess(sample)
        is_missing = (origins == MISSING).any()
        is_open = is_missing or learner.n_pending_ > 0
        is_certified = n_excess is not None and n_excess <= 0 and not is_open
        n_expected = n_checked if is_certified else None
        if n_excess is not None and not is_certified:
            embedder = learner._make_embedder()
            scores = rule.scores(X, machine, people, is_read, classes, embedder)
            n_expected = expected_cost(
                drawn, ledger, machine, people, scores, n_excess, sample.n_rows
            )
        return CheckedLabels(
            labels if is_missing else np.array(labels.tolist()),
            origins,
            is_certified,
            None if target is None else target.error,
            None if target is None else target.confidence,
            sample.n_rows,
            n_checked,
            machine.error(people, ledger.found[entries]),
            n_expected,
        )


def expected_cost(drawn, ledger, machine, people, scores, n_excess, n_rows):
    """Return the number of labels that the certificate is expected to need.

    Sample rows are ranked by a model that has seen them; the certificate is expected at
    the share of rows at which enough wrong ones are reached.

    Parameters
    ----------
    drawn : RandomSample
        The sample.
    ledger : Ledger
        Requests and labels.
    machine : Machine
        Labels of the machine.
    people : ndarray of object
        Labels of people, None for none.
    scores : ndarray
        How likely each machine label is wrong.
    n_excess : int
        Number of wrong sample rows that are too many.
    n_rows : int
        Number of rows that the certificate is about.
    """
    has_label = people != None  # noqa: E711
    n_checked = int(np.count_nonzero(has_label))
    if n_excess <= 0:  # only pending rows and gaps are missing
        is_open = ~machine.has_label & ~has_label
        pending = (ledger.positions == PENDING) & (ledger.found >= 0)
        is_open[ledger.found[pending]] = True
        return n_checked + int(np.count_nonzero(is_open))
    rows = drawn.open_rows(ledger)
    rows = rows[np.argsort(-scores[rows], kind="stable")]
    wrong = np.flatnonzero(~machine.is_right(people)[rows])
    share = (wrong[n_excess - 1] + 1) / len(rows) if len(wrong) >= n_excess else 1.0
    return n_checked + round(share * (n_rows - n_checked))
