"""Comparison of learners that search for a class: recall, rows read, and stopping."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from ..audit._recall import RecallCurve, recall_curve, relevant_label
from ..base._labels import check_not_missing
from ..base._parameters import check_number
from ..base._scores import score_of_class
from ..pool import RecallTarget, RelevanceSamplingClassifier, StoppingRule
from ..pool._base import PoolClassifier
from ..sources._containers import take
from ..utils.typing import Bools, Estimator, Label, RowsLike
from ._comparison_result import align, learner_code, number_equal
from ._curves import plain
from ._displays import RecallCurveDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Recalls for which the rows read are reported; the first one is the target of rules.
RECALLS = (0.95, 1.0)
RECALL, ALPHA = 0.95, 0.05
#: Number of consecutive irrelevant rows after which people stop.
IN_A_ROW = 100


class Stop(NamedTuple):
    """End of a run by a stopping rule."""

    n_read: int
    recall: float


@dataclass(frozen=True)
class AuditStart(StoppingRule):
    """Stopping rule that never stops, but remembers when an audit would begin."""

    def judge(self, progress, memory):
        """Return False, and the number of labels at the beginning, once it is known."""
        memory = memory or {}
        if "begin" in memory:
            return False, memory
        target = RecallTarget(RECALL, 1 - ALPHA)
        has_ended, own = target.judge(progress, memory.get("own"))
        if has_ended or target.n_random(own):
            return False, {"begin": float(len(progress.labels))}
        return False, {"own": own}


def count_stop(relevant: Bools, n_in_a_row: int) -> int:
    """Return the rows read after a number of consecutive irrelevant rows."""
    n = len(relevant)
    last = np.maximum.accumulate(np.where(relevant, np.arange(n), -1))
    is_over = np.arange(n) - last >= n_in_a_row
    return int(np.argmax(is_over)) + 1 if is_over.any() else n


def stops_of_run(learner: Any, X: Any, y: Bools) -> dict[str, Stop]:
    """Return where each stopping rule ends a run, by the name of the rule.

    Parameters
    ----------
    learner : pool learner
        Fitted on all rows, with `AuditStart` as its stopping rule if it takes rules.
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        Rows.
    y : ndarray of bool of shape (n_rows,)
        Relevant rows.
    """
    order = learner.queried_indices_
    relevant = y[order]
    read = {
        f"{IN_A_ROW} in a row": relevant[: count_stop(relevant, IN_A_ROW)],
    }
    if takes_audit(learner):
        read = {"audit": y[read_by_audit(learner, X, y)]} | read
    return {
        rule: Stop(len(rows), float(rows.sum() / y.sum()))
        for rule, rows in read.items()
    }


def takes_audit(learner):
    """Return True if a learner takes stopping rules, and records their memory."""
    return hasattr(learner, "record") and hasattr(learner, "stopping")


def read_by_audit(learner, X, y):
    """Return the rows read until an audit would have ended a run."""
    order = learner.queried_indices_
    (memory,) = learner.record()["stopping"] or [None]
    if not memory or "begin" not in memory:
        return order
    known, ids = order[: int(memory["begin"])], np.arange(len(y))
    auditor = clone(learner).set_params(stopping=RecallTarget(RECALL, 1 - ALPHA))
    auditor.teach(take(X, known), y[known], ids=ids[known])
    auditor.learn(X, y.__getitem__, ids=ids)
    return np.append(known, auditor.queried_indices_)


@dataclass(frozen=True, eq=False)
class RecallComparison:
    """Rows read until the relevant rows were found; the result of `compare_recall`.

    Printed, it is two tables: rows read, and where stopping rules end.

    Attributes
    ----------
    curves : dict of str to RecallCurve
        Curves by the names of the learners; then "random order", and "order of the
        estimator", which knows the labels of all other folds.
    stops : dict of str to list of dict
        For each learner and run, the `Stop` of each rule: rows read and recall.
    """

    curves: dict[str, RecallCurve]
    stops: dict[str, list[dict[str, Stop]]]

    def table(self) -> dict[str, dict[str, float]]:
        """Return rows read, work saved and stops of each order, means over the runs.

        A rule that cannot stop all runs of a learner is left out.
        """
        table = {}
        for name, curve in self.curves.items():
            row = {}
            for recall in RECALLS:
                row[f"read_{recall:.0%}"[:-1]] = float(curve.rows_read(recall).mean())
                row[f"wss_{recall:.0%}"[:-1]] = float(curve.wss(recall).mean())
            runs = self.stops.get(name, [])
            for rule in dict.fromkeys(chain.from_iterable(runs)):
                if all(rule in run for run in runs):
                    n_read, recalls = zip(*(run[rule] for run in runs), strict=True)
                    row[f"stop_{rule}_read"] = float(np.mean(n_read))
                    row[f"stop_{rule}_recall"] = float(np.mean(recalls))
                    row[f"stop_{rule}_below"] = sum(r < RECALL - 1e-9 for r in recalls)
            table[name] = row
        return table

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values; None for infinity and NaN."""
        return plain(self.table())

    def __str__(self) -> str:
        table = self.table()
        rows = [
            ("", "rows read", "work", "rows read", "work"),
            ("", "for 95 %", "saved", "for all", "saved"),
        ]
        for name, (read, saved, read_all, saved_all, *_) in (
            (name, row.values()) for name, row in table.items()
        ):
            rows.append(
                (name, f"{read:,.0f}", f"{saved:.3f}", f"{read_all:,.0f}",
                 f"{saved_all:.3f}")
            )  # fmt: skip
        lines = align(rows)
        for name, row in table.items():
            rules = [key[5:-5] for key in row if key.endswith("_read")]
            if rules:
                head = f"{name} stops", "rows read", "recall", "runs below 95 %"
                stops = [
                    (
                        rule,
                        f"{row[f'stop_{rule}_read']:,.0f}",
                        f"{row[f'stop_{rule}_recall']:.3f}",
                        str(row[f"stop_{rule}_below"]),
                    )
                    for rule in rules
                ]
                lines += ["", *align([head, *stops])]
        return "\n".join(lines)

    def plot(self, ax: "Axes | None" = None) -> RecallCurveDisplay:
        """Draw recall against rows read.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a figure.

        Returns
        -------
        display : RecallCurveDisplay
            The display, drawn.
        """
        curves = {n: c for n, c in self.curves.items() if n != "random order"}
        return RecallCurveDisplay(curves).plot(ax)


def compare_recall(
    X: RowsLike,
    y: ArrayLike,
    learners: Sequence[Estimator] | None = None,
    *,
    positive: Label | None = None,
    n_runs: int = 3,
    cv: int = 5,
    progress: Callable[[str], object] | None = None,
    random_state: int = 0,
) -> RecallComparison:
    """Measure how soon pool learners find all rows of a class, and when rules stop.

    Each learner reads all rows, in the order in which it asks for them. Random order,
    and the order of the first learner's estimator, which knows the labels of all other
    folds, are measured, too. The command ``sklearn-activelearn compare --find`` prints
    the result.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Labels of all rows.
    learners : list of pool learners, default=None
        Learners, unfitted. None: `RelevanceSamplingClassifier` in batches of 5 % of the
        labels so far. They are run without a budget.
    positive : str, int, float, bool or None, default=None
        Label of the relevant rows. None: the last of the sorted labels.
    n_runs : int >= 1, default=3
        Number of runs of each learner.
    cv : int >= 2, default=5
        Number of folds for the order of the estimator; at most the number of relevant
        rows.
    progress : callable, default=None
        Called with a sentence before each learner runs.
    random_state : int, default=0
        Seed of the first run; the next runs add 1, 2, ...

    Returns
    -------
    comparison : RecallComparison
        ``curves``, ``stops``, ``table()``, ``to_dict()`` and ``plot()``.

    Raises
    ------
    TypeError
        For learners that are not pool learners.
    ValueError
        For fewer than two relevant rows, no other rows, and data that a learner
        refuses.

    See Also
    --------
    recall_curve : Recall of given orders.
    sklearn_activelearn.pool.RecallTarget : The rules whose stops are measured.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn.evaluation import compare_recall
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> found = compare_recall(X[:300] / 16, y[:300], positive=3, n_runs=1)
    >>> row = found.table()["RelevanceSampling"]
    >>> print(f"{row['read_95']:.0f} rows read, {row['wss_95']:.0%} of the work saved")
    86 rows read, 66% of the work saved
    """
    y = np.asarray(check_not_missing(y))
    y = y == relevant_label(y, positive)
    for value, name, low in (
        (n_runs, "n_runs", 1),
        (cv, "cv", 2),
        (random_state, "random_state", 0),
    ):
        check_number(value, name, low, closed="left", integer=True)
    n_relevant = int(y.sum())
    if n_relevant < 2:
        raise ValueError(
            f"{n_relevant} of {len(y):,} rows is relevant, but at least two are needed."
        )
    if learners is None:
        learners = [RelevanceSamplingClassifier(batch_size=0.05, budget=None)]
    for learner in learners:
        if not isinstance(learner, PoolClassifier):
            raise TypeError(
                f"compare_recall needs pool learners, got {learner_code(learner)}."
            )
    curves, stops = {}, {}
    names = [type(learner).__name__.removesuffix("Classifier") for learner in learners]
    for name, learner in zip(number_equal(names), learners, strict=True):
        if progress is not None:
            progress(f"{name}: {n_runs} run{'s' * (n_runs > 1)}")
        orders, stops[name] = [], []
        for seed in range(random_state, random_state + n_runs):
            model = clone(learner).set_params(budget=None, random_state=seed)
            if takes_audit(model):
                model.set_params(stopping=AuditStart())
            try:
                orders.append(model.fit(X, y).queried_indices_)
                stops[name].append(stops_of_run(model, X, y))
            except (TypeError, ValueError) as error:
                raise ValueError(f"{learner_code(learner)}: {error}") from error
        curves[name] = recall_curve(y, orders)
    curves["random order"] = recall_curve(
        y,
        [
            np.random.default_rng((random_state, run)).permutation(len(y))
            for run in range(n_runs)
        ],
    )
    model, scores = learners[0].make_trainer().estimators[0], np.empty(len(y))
    folds = StratifiedKFold(
        min(cv, n_relevant), shuffle=True, random_state=random_state
    )
    for train, test in folds.split(np.zeros(len(y)), y):
        trained = clone(model).fit(take(X, train), y[train])
        scores[test] = score_of_class(trained, take(X, test), 1)
    order = np.argsort(-scores, kind="stable")
    curves["order of the estimator"] = recall_curve(y, order)
    return RecallComparison(curves, stops)
