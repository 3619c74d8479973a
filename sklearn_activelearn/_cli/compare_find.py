"""``compare --find``: how soon all rows of a class are found."""

import csv
import json
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from .. import RelevanceSamplingClassifier
from .._scores import score_of_class
from .._tables.encoding import principal_directions, with_directions
from ..evaluation import RecallCurve, RecallCurveDisplay, recall_curve
from ..evaluation._label_curve import plain
from ..pool import PoolClassifier
from .learners import learner_code
from .options import UsageError, tell
from .report import align, rounded
from .rows import BATCH, N_DIRECTIONS, model_of_words_and_directions
from .stops import AuditStart, can_be_audited, stops_of_run

#: Runs, if the user does not say how many.
N_RUNS = 3
RECALLS = (0.95, 1.0)


class SearchTask(NamedTuple):
    """What is to be found.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows as numbers.
    is_relevant : ndarray of bool of shape (n_rows,)
        Which of them are to be found.
    """

    X: Any
    is_relevant: np.ndarray


def run_find(args, name, data, learners):
    """Run ``compare --find``, then report.

    Parameters
    ----------
    args : Namespace
        Of the command.
    name : str
        Of the data.
    data : LabelledData
        Rows and labels.
    learners : list of learner
        As the user gave them; none: relevance sampling.
    """
    for learner in learners:
        if not isinstance(learner, PoolClassifier):
            raise UsageError(f"--find needs learners of a pool, not {learner}")
    positive = label_to_find(args.find, data.y)
    search = search_task_of(data, positive, args)
    n, n_relevant = len(search.is_relevant), int(search.is_relevant.sum())
    tell(f"{n:,} rows, {n_relevant:,} of them {positive}")
    if not learners:
        search, learners = default_search(search)
    n_runs = args.repeats or N_RUNS
    curves, stops = {}, {}
    for learner in learners:
        label = type(learner).__name__.removesuffix("Classifier")
        label += f" ({len(curves) + 1})" * (len(learners) > 1)
        tell(f"{label}: {n_runs} runs")
        try:
            runs = found_by(learner, search, n_runs, args.seed)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{learner_code(learner)}: {error}") from error
        curves[label], stops[label] = runs
    orders = [
        np.random.default_rng((args.seed, run)).permutation(n) for run in range(n_runs)
    ]
    curves["random order"] = recall_curve(search.is_relevant, orders)
    model = learners[0]._make_trainer().estimators[0]
    own = order_out_of_fold(model, search, min(args.folds, n_relevant), args.seed)
    curves["order of the estimator"] = recall_curve(search.is_relevant, own)
    title = f"{name}: {n:,} rows, {n_relevant:,} {positive}"
    write_found(args, title, curves, stops)


def label_to_find(wanted, y):
    """Return the label that the user means."""
    for label in np.unique(y).tolist():
        if str(label) == wanted:
            return label
    known = ", ".join(map(str, np.unique(y)[:10].tolist()))
    raise UsageError(f"--find: no row has the label {wanted!r}; labels are {known}")


def search_task_of(data, positive, args):
    """Return the rows as numbers, made of all of them; random ones of many."""
    X = data.X if data.encoder is None else data.encoder.fit_transform(data.X)
    is_relevant = data.y == positive
    if args.rows is not None and args.rows < len(is_relevant):
        rng = np.random.default_rng(args.seed)
        rows = np.sort(rng.permutation(len(is_relevant))[: args.rows])
        X, is_relevant = X[rows], is_relevant[rows]
    n_relevant = np.count_nonzero(is_relevant)
    if n_relevant < 2 or n_relevant == len(is_relevant):
        raise UsageError(
            f"--find: {n_relevant} of {len(is_relevant):,} rows are {positive}; at "
            "least two, and others, are needed"
        )
    return SearchTask(X, is_relevant)


def default_search(search):
    """Return the search and the learner for it; of texts, with their directions."""
    learner = RelevanceSamplingClassifier(batch_size=BATCH, budget=None)
    if issparse(search.X):
        n_words = search.X.shape[1]
        tell(f"finding up to {N_DIRECTIONS} principal directions of the texts")
        directions = principal_directions(search.X, N_DIRECTIONS)
        search = search._replace(X=with_directions(search.X, directions))
        learner.set_params(estimator=model_of_words_and_directions(n_words))
    return search, [learner]


def found_by(learner, search, n_runs, seed):
    """Return what a learner finds, reading all rows, and where rules stop it."""
    orders, stops = [], []
    X, y = search
    for run in range(n_runs):
        model = clone(learner).set_params(budget=None, random_state=seed + run)
        if can_be_audited(model):
            model.set_params(stopping=AuditStart())
        orders.append(model.fit(X, y).queried_indices_)
        stops.append(stops_of_run(model, X, y, seed + run))
    return recall_curve(y, orders), stops


def order_out_of_fold(model, search, n_folds, seed):
    """Return the rows by scores of a model that was trained on the other folds."""
    X, y = search
    scores = np.empty(len(y))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for known, rest in folds.split(np.zeros(len(y)), y):
        trained = clone(model).fit(X[known], y[known])
        scores[rest] = score_of_class(trained, X[rest], 1)
    return np.argsort(-scores, kind="stable")


def write_found(args, title, curves, stops):
    """Write the table or JSON, and the picture."""
    values = {
        name: found_values(curve) | stop_values(stops.get(name, ()))
        for name, curve in curves.items()
    }
    try:
        if not args.json:
            print(found_text(title, values))
        else:
            text = json.dumps(
                {"data": title, "found": rounded(plain(values))}, indent=1
            )
            if args.json == "-":
                print(text)
            else:
                Path(args.json).write_text(f"{text}\n", encoding="utf-8")
        if args.csv:
            with open(args.csv, "w", newline="", encoding="utf-8") as file:
                names = dict.fromkeys(chain.from_iterable(values.values()))
                lines = csv.DictWriter(file, ["order", *names])
                lines.writeheader()
                lines.writerows({"order": name} | row for name, row in values.items())
        if args.plot:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(8, 5), dpi=100, layout="constrained")
            drawn = {n: c for n, c in curves.items() if n != "random order"}
            RecallCurveDisplay(drawn).plot(figure.add_subplot()).ax_.set_title(title)
            figure.savefig(args.plot)
            tell(f"curves: {args.plot}")
    except OSError as error:
        raise UsageError(f"cannot write: {error}") from error


def found_values(curve: RecallCurve):
    """Return the figures of an order, means of its runs."""
    values = {}
    for recall in RECALLS:
        values[f"read_{recall:.0%}".rstrip("%")] = curve.rows_read(recall).mean()
        values[f"wss_{recall:.0%}".rstrip("%")] = curve.wss(recall).mean()
    return values


def stop_values(runs):
    """Return for each rule the means of its stops, and how many are below the target.

    Parameters
    ----------
    runs : list of dict of str to Stop
        A rule that cannot stop all of them is left out.
    """
    values = {}
    for rule in dict.fromkeys(chain.from_iterable(runs)):
        stops = [run[rule] for run in runs if rule in run]
        if len(stops) < len(runs):
            continue
        n_read, recalls = zip(*stops, strict=True)
        values[f"stop_{rule}_read"] = float(np.mean(n_read))
        values[f"stop_{rule}_recall"] = float(np.mean(recalls))
        values[f"stop_{rule}_below"] = sum(r < RECALLS[0] - 1e-9 for r in recalls)
    return values


def found_text(title, values):
    """Return the tables in lines."""
    head = ("", "rows read", "work", "rows read", "work")
    second = ("", "for 95 %", "saved", "for all", "saved")
    rows = [
        (name, *(f"{v:,.0f}" if i % 2 == 0 else f"{v:.3f}" for i, v in enumerate(row)))
        for name, row in ((name, [*row.values()][:4]) for name, row in values.items())
    ]
    lines = [title, "", *align([head, second, *rows])]
    for name, row in values.items():
        rules = [key[5:-5] for key in row if key.endswith("_read")]
        if not rules:
            continue
        stops = [
            (
                rule,
                f"{row[f'stop_{rule}_read']:,.0f}",
                f"{row[f'stop_{rule}_recall']:.3f}",
                str(row[f"stop_{rule}_below"]),
            )
            for rule in rules
        ]
        head = (f"{name} stops", "rows read", "recall", "runs below 95 %")
        lines += ["", *align([head, *stops])]
    return "\n".join(lines)
