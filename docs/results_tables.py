"""Tables of the pages on published results, made from the files in ``results``.

Each function returns a table as rows of texts, of which the first is the header;
`write` puts them where ``csv-table`` finds them, beside the figures.
"""

import csv
import json
import shlex
from pathlib import Path

import numpy as np

from benchmarks.drawing import draw
from benchmarks.papers._alms_rows import SETTING, in_words, rank
from benchmarks.papers._steps import ROWS
from benchmarks.papers.figures import DRAWN
from benchmarks.papers.label_propagation import LEARNERS
from benchmarks.papers.ocr import LEARNERS as GRIDS
from benchmarks.results import (
    PROVENANCE,
    by,
    grouped,
    read,
    read_texts,
    without_machine,
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


def ocr_reached(folder):
    """Return the same, tuned on the runs that reached the target."""
    return ocr(folder, "ocr_reached")


def ocr(folder, name="ocr"):
    """Return labels to the target, with the published ones below."""

    def cell(row):
        if np.isnan(row["labels"]):
            return f"never{failures(row)}"
        outside = abs(row["labels"] - row["published"]) > row["published_std"]
        shown = plus_minus(row["labels"], row["labels_std"])
        return shown + r"\*" * outside + "‡" * at_an_edge(row) + failures(row)

    return pivot(
        read(folder, name),
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


def at_an_edge(row):
    """Return whether tuning chose an end of a grid; R cannot be less than 1."""
    _, grid = GRIDS[row["learner"]]
    return any(
        value == grid[name][-1] or (name != "R" and value == grid[name][0])
        for name, value in json.loads(row["parameters"]).items()
    )


def margin_loss(folder):
    """Return labels to the target, with learning rates and published labels."""

    def whole(name):
        return lambda row: "" if np.isnan(row[name]) else f"{row[name]:g}"

    def published(row):
        target = row["published_target_error"]
        return "" if np.isnan(target) else f", published {target:g}"

    return pivot(
        read(folder, "margin_loss_table_2"),
        ["data (target)"],
        lambda row: (f"{row['data']} ({row['target_error']:.4f}{published(row)})",),
        "learner",
        {
            "": lambda row: plus_minus(row["labels"], row["std"]) + failures(row),
            "*eta*": whole("eta0"),
            "*published*": whole("published"),
        },
    )


def outlier_line(folder):
    """Return errors of the best separators and what the surfaces are like."""
    return [
        ["loss", "error", "*published*", "as the hinge", "as zero-one"],
        *(
            [
                row["loss"],
                *(f"{row[name]:.2f}" for name in ("error", "published")),
                *(f"{row[name]:.2f}" for name in ("as_hinge", "as_zero_one")),
            ]
            for row in read(folder, "outlier_line")
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
    orders = by(read(folder, "second_order_figure_3_runs"), "run").values()
    table = [["topics", "positive", "labels", "stored", "F"]]
    for part in np.array_split(np.arange(len(rows)), 3):
        means = {
            name: np.mean([rows[k][name] for k in part])
            for name in ("positive", "labels", "stored", "F")
        }
        shares = [f"{means[name]:.1%}" for name in ("positive", "labels", "stored")]
        of_orders = [np.mean([of[k]["F"] for k in part]) for of in orders]
        spread = f" ± {np.std(of_orders, ddof=1):.3f}" if len(orders) > 1 else ""
        topics = f"{part[0] + 1} to {part[-1] + 1}"
        table.append([topics, *shares, f"{means['F']:.3f}{spread}"])
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
    for data, of_data in by(means, "data").items():
        for learner, group in by(of_data, name).items():
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
            {**row, "alpha": f"α = {row['alpha']}".removesuffix(".0")}
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


def label_propagation(folder):
    """Return errors of label propagation and other learners."""
    ranks = {name: rank for rank, name in enumerate(LEARNERS)}
    means = read(folder, "label_propagation_means")
    return errors_and_means(
        read(folder, "label_propagation_figure_8"),
        sorted(means, key=lambda row: ranks.get(row["learner"], len(ranks))),
        "learner",
        (0.1, 0.3),
        lambda row: (
            "" if np.isnan(row["standard_error"]) else f" ± {row['standard_error']:.2f}"
        ),
    )


def alms(folder, penalty):
    """Return mean accuracies and log losses for a kind of penalty."""
    mark = {"pima": "pima (no reproduction)"}
    rows = [row for row in read(folder, "alms_table_1") if row["penalty"] == penalty]
    return pivot(
        [
            {**row, "problem": mark.get(row["problem"], row["problem"])}
            for row in sorted(rows, key=lambda row: rank([row[k] for k in SETTING]))
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


def alms_single_models(folder):
    """Return the best λ of a single model, for each setting."""
    rows = [
        row for row in read(folder, "alms_single_models") if row["problem"] != "pima"
    ]
    table = {}
    for (problem, *setting), models in grouped(rows, ["problem", *SETTING]).items():
        centre = (len(models) - 1) / 2
        mean = sum(row["least"] * (row["model"] - centre) for row in models)
        cell = f"{mean:+.1f} ({models[0]['runs']:.0f})"
        table.setdefault(tuple(setting), {})[problem] = cell
    names = list(dict.fromkeys(row["problem"] for row in rows))
    return [
        ["penalty", *names],
        *(
            [in_words(setting), *(table[setting].get(name, "") for name in names)]
            for setting in sorted(table, key=rank)
        ),
    ]


def claims(folder, paper):
    """Return the claims of a paper with their verdicts."""
    table = [["claim", "where", "verdict", "here", "experiment (runs)"]]
    for row in by(read_texts(folder / "claims.csv"), "paper")[paper]:
        word, counts = row["verdict"].split(": ")
        changed = row["after_holm"] not in ("", counts)
        corrected = f"; after Holm {row['after_holm']}" * changed
        claim, where = row["claim"], row["where"]
        if row["reading"]:
            claim, where = f"*{row['reading']}*", ""
        experiment = f"``{row['experiment']}`` ({row['runs']})"
        verdict = f"**{word}**: {counts}{corrected}"
        table.append([claim, where, verdict, row["figures"], experiment])
    return table


def steps(paper):
    """Return the commands behind the figures of a paper, and how long they take."""
    table = [["figures", "command", "processor minutes"]]
    for step in ROWS[paper]:
        command = shlex.join(without_machine(shlex.split(step["command"])))
        table.append([figures(step), f"``{command}``", step["minutes"]])
    return table


def figures(step):
    """Return the figures and tables of a paper that need a step, in words."""
    names = step["figures"].split()
    numbers = [name for name in names if name.isdecimal()]
    others = [name.replace("-", " ").capitalize() for name in names if name[0] > "9"]
    plural = "Figures " if len(numbers) > 1 else "Figure "
    return ", ".join([*others, *[plural + ", ".join(numbers)] * bool(numbers)])


def speed(folder):
    """Return the tables of the benchmarks of speed by name, each with its processor.

    The files also name the caches and the versions of what was measured.
    """
    tables = {}
    for file in sorted(folder.glob("*.csv")):
        rows = read_texts(file)
        if rows and "caches" in rows[0]:
            shown = [name for name in rows[0] if name not in ("caches", "versions")]
            tables[file.stem] = [
                shown,
                *([row[name] for name in shown] for row in rows),
            ]
    return tables


def runs(folder):
    """Return when and how the rows of each file were measured, on whatever data."""
    shown = [name for name in PROVENANCE if name != "data_sha256"]
    table = [["file", *shown]]
    for file in sorted(folder.glob("*.csv*")):
        name = file.name.removesuffix(".gz")
        rows = [row for row in read_texts(folder / name) if "command" in row]
        origins = dict.fromkeys(tuple(row[name] for name in shown) for row in rows)
        for command, *others in origins:
            link = f":download:`{file.name} <results/{file.name}>`"
            table.append([link, f"``{command}``", *others])
    return table


def calls_speed(folder):
    """Return what calls cost before and after a change, and what was to be reached."""
    table = [["call", "ms before", "ms", "to", "ratio before", "ratio", "goal"]]
    for row in read_texts(folder / "calls_speed.csv"):
        names = "call", "before_ms", "after_ms", "to", "before_ratio", "after_ratio"
        table.append([*(row[name] for name in names), row["goal"]])
    return table


def pool_speed(folder):
    """Return what a query of a pool learner costs."""
    rows = read_texts(folder / "pool_speed.csv")
    names = "pool", "learner", "total", "refit", "scoring", "own", "own %", "error"
    return [[*names], *([row[name] for name in names] for row in rows)]


def labels_saved(folder):
    """Return how often intervals of the labels saved hold."""
    rows = read_texts(folder / "labels_saved.csv")
    names = [name for name in rows[0] if name not in PROVENANCE]
    return [names, *([row[name] for name in names] for row in rows)]


def compare_examples(folder):
    """Return how often the answer of `compare` is right on made data."""
    rows = read_texts(folder / "compare_examples.csv")
    lines = [
        ["", "data sets", "right", "none", "wrong", "repeats", "seconds", "longest"]
    ]
    for name in dict.fromkeys(row["example"] for row in rows):
        of = [row for row in rows if row["example"] == name]
        answers = [row["answer"] for row in of]
        seconds = [float(row["seconds"]) for row in of]
        counts = [answers.count(each) for each in ("right", "none", "wrong")]
        repeats = np.median([int(row["repeats"]) for row in of])
        times = f"{np.median(seconds):.0f}", f"{max(seconds):.0f}"
        lines.append([name, len(of), *counts, f"{repeats:g}", *times])
    return lines


TABLES = (
    ocr,
    ocr_reached,
    outlier_line,
    margin_loss,
    second_order,
    second_order_topics,
    boosting,
    boosting_digits,
    boosting_alphas,
    label_propagation,
    alms_sum,
    alms_mean,
    alms_single_models,
    runs,
)
#: Tables of other pages.
OTHERS = (calls_speed, pool_speed, labels_saved, compare_examples)


def write(folder, out):
    """Write all tables and figures."""
    out.mkdir(parents=True, exist_ok=True)
    tables = {table.__name__: table(folder) for table in (*TABLES, *OTHERS)}
    tables |= speed(folder)
    for paper in ROWS:
        tables[f"claims_{paper}"] = claims(folder, paper)
        tables[f"steps_{paper}"] = steps(paper)
    for name, rows in tables.items():
        with Path(out, f"{name}.csv").open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(rows)
    for drawn in DRAWN.values():
        draw(drawn, folder, out)
