"""Tables of the pages on published results, made from the files in ``results``.

Each function returns a table as rows of texts, of which the first is the header;
`write` puts them where ``csv-table`` finds them, beside the figures.
"""

import csv
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.papers._drawing import draw
from benchmarks.papers._results import PROVENANCE, by, read, read_texts
from benchmarks.papers.claims import CLAIMS

FIGURES = (
    "ocr_figures",
    "margin_loss_figures",
    "second_order_figures",
    "boosting_figures",
    "alms_figures",
)
PAIRS = ("2v3", "3v5", "3v8", "6v8", "8v9", "0v8")
KINDS = {"transductive": "pool", "transductive, own": "own", "inductive": "new"}


def pivot(rows, titles, index, columns, lines):
    """Return a table with a column for each value of a column of the file.

    Parameters
    ----------
    rows : list of dict
        From the file.
    titles : list of str
        Of the first columns.
    index : callable
        Returns the first cells for a row of the file.
    columns : str
        The column of the file whose values become columns.
    lines : dict of str: callable
        For each line of a group: what stands before it, unless it is the first, and
        what a cell says for a row of the file.
    """
    groups = {}
    for row in rows:
        groups.setdefault(index(row), {})[row[columns]] = row
    names = list(dict.fromkeys(row[columns] for row in rows))
    table = [[*titles, *names]]
    for first, group in groups.items():
        for title, cell in lines.items():
            head = [*first[:-1], title] if title else list(first)
            cells = [cell(group[name]) if name in group else "" for name in names]
            if any(cells):
                table.append([*head, *cells])
    return table


def plus_minus(mean, std, digits=0):
    """Return a mean with its deviation; nothing if it is not known."""
    return "" if np.isnan(mean) else f"{mean:,.{digits}f} ± {std:,.{digits}f}"


def failures(row):
    """Return how many runs failed, in brackets."""
    return f" ({row['failed']:.0f})" * (row["failed"] > 0)


def ocr(folder):
    """Return labels to the target, with the published ones below."""

    def cell(row):
        if np.isnan(row["labels"]):
            return f"never{failures(row)}"
        outside = abs(row["labels"] - row["published"]) > row["published_std"]
        shown = plus_minus(row["labels"], row["labels_std"])
        return shown + r"\*" * outside + failures(row)

    return pivot(
        read(folder, "ocr"),
        ["problem (target)"],
        lambda row: (f"{row['problem']} ({row['target_error']:g})",),
        "learner",
        {
            "": cell,
            "*published*": lambda row: plus_minus(
                row["published"], row["published_std"]
            ),
        },
    )


def simple_svm(folder):
    """Return test errors at some label counts."""
    return pivot(
        [row for row in read(folder, "simple_svm") if row["labels"] in (20, 50, 200)],
        ["problem", "labels"],
        lambda row: (row["problem"], f"{row['labels']:.0f}"),
        "learner",
        {"": lambda row: plus_minus(row["error"], row["std"], 1)},
    )


def margin_loss(folder):
    """Return labels to the target, with learning rates and published labels."""

    def whole(name):
        return lambda row: "" if np.isnan(row[name]) else f"{row[name]:g}"

    return pivot(
        read(folder, "margin_loss_table_2"),
        ["data (target)"],
        lambda row: (f"{row['data']} ({row['target_error']:.4f})",),
        "learner",
        {
            "": lambda row: plus_minus(row["labels"], row["std"]) + failures(row),
            "*eta*": whole("eta0"),
            "*published*": whole("published"),
        },
    )


def margin_loss_starts(folder):
    """Return labels to the target from other starts."""
    return pivot(
        read(folder, "margin_loss_starts"),
        ["data"],
        lambda row: (row["data"],),
        "learner",
        {"": lambda row: plus_minus(row["labels"], row["std"]) + failures(row)},
    )


def offline_margin_loss(folder):
    """Return test errors with all labels."""
    rows = read(folder, "offline_margin_loss")
    last = max(row["labels"] for row in rows)
    return pivot(
        [row for row in rows if row["labels"] == last],
        ["problem", "labels"],
        lambda row: (row["problem"], f"{row['labels']:.0f}"),
        "learner",
        {"": lambda row: plus_minus(row["error"], row["std"], 2)},
    )


def low_noise(folder):
    """Return exponents, with those of the theorems, and totals."""

    def exponent(row, what):
        measured = round(row[f"{what}_exponent"], 2) + 0.0  # no -0.00
        return f"{measured:.2f} ({row[f'{what}_theory']:.2f})"

    head = ["α", "algorithm", "regret", "labels", "regret at the end", "labels"]
    return [
        head,
        *(
            [
                "∞" if np.isinf(row["alpha"]) else f"{row['alpha']:g}",
                row["algorithm"],
                exponent(row, "regret"),
                exponent(row, "labels"),
                f"{row['regret']:.1f}",
                f"{row['labels']:,.0f}",
            ]
            for row in read(folder, "low_noise")
        ),
    ]


def second_order(folder):
    """Return F at shares of labels, interpolated between an algorithm's settings."""
    shares = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 1.0)
    rows = by(read(folder, "second_order_figure_2"), "topics")["frequent"]
    columns = []
    for points in by(rows, "algorithm").values():
        bought, F = np.array(sorted((row["labels"], row["F"]) for row in points)).T
        columns.append(
            np.interp(np.log(shares), np.log(bought), F, left=np.nan, right=np.nan)
        )
    return [
        ["labels", *by(rows, "algorithm")],
        *(
            [f"{share:.0%}", *("" if np.isnan(F) else f"{F:.3f}" for F in line)]
            for share, line in zip(shares, np.transpose(columns), strict=True)
        ),
    ]


def second_order_topics(folder):
    """Return means over thirds of the topics, by frequency."""
    rows = read(folder, "second_order_figure_3")
    table = [["topics", "positive", "labels", "stored", "F"]]
    for part in np.array_split(np.arange(len(rows)), 3):
        means = {
            name: np.mean([rows[k][name] for k in part])
            for name in ("positive", "labels", "stored", "F")
        }
        shares = [f"{means[name]:.1%}" for name in ("positive", "labels", "stored")]
        table.append([f"{part[0] + 1} to {part[-1] + 1}", *shares, f"{means['F']:.2f}"])
    return table


def errors_and_means(points, means, name, shares, beside):
    """Return errors at shares of labels and their mean, for each kind of error."""
    known = {
        (row["data"], row[name], row["kind"], round(row["labels"], 6)): row["error"]
        for row in points
    }
    kinds = [kind for kind in KINDS if kind in by(means, "kind")]
    heads = [*(f"{share:.3g} %" for share in np.multiply(shares, 100)), "mean"]
    table = [["data", name, *(f"{KINDS[kind]}, {h}" for kind in kinds for h in heads)]]
    for (data, learner), group in groups_of(means, "data", name).items():
        rows, cells = by(group, "kind"), []
        for kind in kinds:
            at = [known.get((data, learner, kind, share)) for share in shares]
            cells += ["" if error is None else f"{error:.2f}" for error in at]
            found = rows.get(kind)
            cells.append(
                f"{found[0]['mean_error']:.2f}{beside(found[0])}" if found else ""
            )
        table.append([data, learner, *cells])
    return table


def groups_of(rows, *names):
    """Return the rows for each combination of values of some columns."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def p_value(row, name="p"):
    """Return a p in brackets; nothing where there is none."""
    p = row[name]
    missing = isinstance(p, float) and np.isnan(p)
    return "" if missing else f" ({p if isinstance(p, str) else format(p, '.2g')})"


def boosting(folder, digits=False):
    """Return errors on Rätsch's sets, or on pairs of digits."""
    points, means = (
        [row for row in read(folder, name) if (row["data"] in PAIRS) == digits]
        for name in ("boosting_errors", "boosting_means")
    )
    shares = (0.001, 0.04, 0.1) if digits else (0.05, 0.35, 0.8)
    return errors_and_means(points, means, "method", shares, p_value)


def boosting_digits(folder):
    """Return errors on pairs of digits."""
    return boosting(folder, digits=True)


def boosting_alphas(folder):
    """Return mean errors for each alpha."""
    return pivot(
        [
            {**row, "alpha": f"α = {row['alpha']:g}"}
            for row in read(folder, "boosting_figure_2")
        ],
        ["rows", "first members"],
        lambda row: (
            KINDS[row["kind"]],
            "as labels"
            if np.isnan(row["first_members"])
            else f"{row['first_members']:.0f}",
        ),
        "alpha",
        {"": lambda row: f"{row['mean_error']:.2f}"},
    )


def boosting_criteria(folder, name="boosting_criteria"):
    """Return what Gini impurity changes, for each method, kind of error and set."""
    return pivot(
        read(folder, name),
        ["method", "rows"],
        lambda row: (row["method"], KINDS[row["kind"]]),
        "data",
        {"": lambda row: f"{row['difference']:+.2f} ± {row['difference_error']:.2f}"},
    )


def boosting_criteria_few(folder):
    """Return the same from 10 to 120 labels."""
    return boosting_criteria(folder, "boosting_criteria_few")


def label_propagation(folder):
    """Return errors of label propagation and other learners."""
    return errors_and_means(
        read(folder, "label_propagation_figure_8"),
        read(folder, "label_propagation_means"),
        "learner",
        (0.1, 0.3),
        lambda row: (
            "" if np.isnan(row["standard_error"]) else f" ± {row['standard_error']:.2f}"
        ),
    )


def alms(folder, penalty):
    """Return mean accuracies and log losses for a kind of penalty."""
    mark = {"pima": "pima (no reproduction)"}
    return pivot(
        [
            {**row, "problem": mark.get(row["problem"], row["problem"])}
            for row in read(folder, "alms_table_1")
            if row["penalty"] == penalty
        ],
        ["labels", "method"],
        lambda row: (f"{row['initial']:.0f} to {row['labels']:.0f}", row["method"]),
        "problem",
        {
            "": lambda row: (
                f"{row['accuracy']:.3f}{p_value(row, 'accuracy_p')}, "
                f"{row['log_loss']:.3f}{p_value(row, 'log_loss_p')}"
            ),
            "*published*": lambda row: (
                "" if np.isnan(row["published"]) else f"{row['published']:g}"
            ),
        },
    )


def alms_sum(folder):
    """Return the table for the penalty beside the sum of the losses."""
    return alms(folder, "sum")


def alms_mean(folder):
    """Return the table for the penalty beside the mean of the losses."""
    return alms(folder, "mean")


def claims(folder, paper):
    """Return the claims of a paper with their verdicts."""
    table = [["claim", "verdict", "here", "published", "experiment"]]
    for claim in CLAIMS:
        if claim.paper == paper:
            verdict, ours, published, experiment = claim.verdict(folder)
            shown = f"``{experiment}``" if experiment else ""
            table.append([claim.text, f"**{verdict}**", ours, published, shown])
    return table


def runs(folder):
    """Return when and how the rows of each file were measured."""
    table = [["file", *PROVENANCE]]
    for file in sorted(folder.glob("*.csv")):
        rows = [row for row in read_texts(file) if "command" in row]
        origins = dict.fromkeys(tuple(row[name] for name in PROVENANCE) for row in rows)
        for command, *others in origins:
            table.append([f"``{file.name}``", f"``{command}``", *others])
    return table


TABLES = (
    ocr,
    simple_svm,
    margin_loss,
    margin_loss_starts,
    offline_margin_loss,
    low_noise,
    second_order,
    second_order_topics,
    boosting,
    boosting_digits,
    boosting_alphas,
    boosting_criteria,
    boosting_criteria_few,
    label_propagation,
    alms_sum,
    alms_mean,
    runs,
)


def write(folder, out):
    """Write all tables and figures."""
    out.mkdir(parents=True, exist_ok=True)
    tables = {table.__name__: table(folder) for table in TABLES}
    for paper in dict.fromkeys(claim.paper for claim in CLAIMS):
        tables[f"claims_{paper}"] = claims(folder, paper)
    for name, rows in tables.items():
        with Path(out, f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(rows)
    for name in FIGURES:
        draw(import_module(f"benchmarks.papers.{name}").DRAWN, folder, out)
