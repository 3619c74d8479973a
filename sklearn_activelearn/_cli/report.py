"""A comparison as text, as plain values for JSON, and as a picture."""

import csv
from collections import Counter
from dataclasses import asdict
from textwrap import wrap

import numpy as np

from .. import __version__
from ..evaluation import LabelCurveDisplay
from ..evaluation._label_curve import plain
from .learners import learner_code
from .verdict import LEVEL, saved, verdict

WIDTH = 100  # of lines of text


def to_text(plan, results, details=False):
    """Return the verdict, the table and how it was run, in lines."""
    named = short_named(results)
    rows = [cells(name, r, plan) for name, r in named.items()]
    constant = results[0].constant_errors.mean()
    lines = [
        *folded(verdict(plan, named)),
        "",
        *align([*heading(plan), *rows, constant_cells(plan, constant)]),
        "",
        f"data  {plan.data}: {plan.size}",
        *(f"runs  {name}: {runs_of(plan, r)}" for name, r in named.items()),
        f"      means of the runs, measured on the rows held out; seed {plan.seed}",
        f"{LEVEL}  for the mean over further splits and orders of this table",
    ]
    if plan.measure.why:
        lines.append(f"why   {plan.measure.name}: {plan.measure.why}")
    for note in dict.fromkeys(note for r in results for note in r.notes):
        first, *rest = wrap(note, WIDTH - 6)
        lines += [f"note  {first}", *(f"      {line}" for line in rest)]
    if details:
        lines += ["", *in_detail(plan, named)]
    return "\n".join(lines)


def folded(text):
    """Return lines that do not part a number from its unit."""
    lines = wrap(text.replace(" %", "\N{NO-BREAK SPACE}%"), WIDTH)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def short_named(results):
    """Return the results by short names; those of one class are numbered."""
    names = [type(r.learner).__name__.removesuffix("Classifier") for r in results]
    total, seen, named = Counter(names), Counter(), {}
    for name, result in zip(names, results, strict=True):
        seen[name] += 1
        named[f"{name} ({seen[name]})" if total[name] > 1 else name] = result
    return named


def heading(plan):
    """Return the two heading rows of the table."""
    measure, target = plan.measure, plan.target_error
    unit = ", %" * measure.is_error
    first = ["", "labels", f"{measure.name}{unit}:", "as many", "chosen labels"]
    second = ["", "bought", "chosen", "random", "for that"]
    if target is not None:
        first += [f"until {measure.text(target)}:", ""]
        second += ["chosen", "random"]
    return [(*first, "saved"), (*second, f"({LEVEL})")]


def cells(name, result, plan):
    """Return the table row of a learner."""
    is_known = result.savings.is_known and result.random_are_of_use
    row = [
        name,
        f"{result.n_bought:,.0f}",
        plan.measure.number(result.errors.mean()),
        plan.measure.number(result.passive_errors.mean()),
        within(result.n_needed, result.n_bought) if is_known else "–",
    ]
    if plan.target_error is not None:
        for curve in (result.curve, result.passive_curve):
            n_labels = curve.labels_for(plan.target_error)
            row.append(within(n_labels, curve.n_bought.mean()))
    if result.savings.is_known and not is_known:
        return (*row, "random: as a constant")
    words = saved(result.savings)
    return (*row, words.replace(f"{LEVEL}: ", "").replace(" saved", ""))


def constant_cells(plan, error):
    """Return the table row of the most frequent class for all rows."""
    value = plan.measure.number(error)
    return (f"always {plan.answer!r}", "0", value, value, "")


def within(n_labels, most):
    """Return how many labels were needed of those that were bought."""
    if np.isinf(n_labels):
        return f"not within {most:,.0f}"
    return f"{min(n_labels, most):,.0f}"


def runs_of(plan, result):
    """Return how a learner was run, in a line."""
    n_runs, rows = len(result.errors), plan.rows_for(result.learner)
    which = f"{plan.folds} folds × {n_runs // plan.folds}"
    if rows < plan.rows:
        whose = "random rows" if plan.shares_rows(result.learner) else "rows of its own"
        which = f"{n_runs}, each with {rows:,} {whose}"
    offered, held_out = (
        f"{n.max():,}" for n in (result.curve.n_offered, result.curve.n_held_out)
    )
    return f"{which}: {offered} to choose from, {held_out} held out"


def in_detail(plan, named):
    """Return lines on columns, learners, intervals and errors."""
    lines = [f"treated as {line}" for line in plan.treated_as]
    level = next(iter(named.values())).confidence
    lines += [
        f"{LEVEL}: what a paired t-test over runs does not refuse, at {level:.4g} for "
        f"each of {len(named)}: all intervals",
        "hold together",
    ]
    for name, result in named.items():
        lines += ["", f"{name}: {learner_code(result.learner)}"]
        lines.append(f"random: {learner_code(result.passive)}")
        if result.savings.is_known:
            lines += align(curve_rows(plan.measure, result))
    return lines


def curve_rows(measure, result):
    """Return a table of the measure after some ten label counts."""
    counts = result.curve.n_labels
    counts = counts[counts <= result.curve.n_bought.max()]
    unit = " in %" * measure.is_error
    counts = counts[np.unique(np.linspace(0, len(counts) - 1, 10).astype(int))]
    return [
        ("labels", *(f"{n:,}" for n in counts), ""),
        values_at(counts, f"chosen, {measure.name}{unit}", measure, result.curve),
        values_at(counts, "random", measure, result.passive_curve),
    ]


def values_at(counts, name, measure, curve):
    """Return a table row of means over runs."""
    errors = curve.best - curve.scores_at(counts).mean(axis=0)
    return (name, *map(measure.number, errors), "")


def align(rows):
    """Return lines with the first and last cells to the left, others to the right."""
    rows = list(rows)
    width = max(map(len, rows))
    rows = [(*row, *[""] * (width - len(row))) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others, last in rows:
        padded = [text.rjust(w) for text, w in zip(others, widths[1:-1], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *padded, last]).rstrip())
    return lines


def to_dict(plan, results):
    """Return everything as plain values; None stands for never, or not known."""
    found = {
        "version": __version__,
        **asdict(plan),
        "verdict": verdict(plan, short_named(results)),
        "results": [result_to_dict(plan, result) for result in results],
    }
    return rounded(plain(found))


def result_to_dict(plan, result):
    """Return what is known of a learner."""
    return {
        "learner": learner_code(result.learner),
        "passive": learner_code(result.passive),
        "labels_bought": result.curve.n_bought,
        "errors": result.errors,
        "passive_errors_with_as_many": result.passive_errors,
        "constant_errors": result.constant_errors,
        **savings_of(result),
        "saved_is_clear": result.is_clear and result.random_are_of_use,
        "better_than_constant": bool(result.chosen_are_of_use),
        "passive_better_than_constant": bool(result.random_are_of_use),
        "confidence": result.confidence,
        "labels_to_target": to_target(result.curve, plan.target_error),
        "passive_labels_to_target": to_target(result.passive_curve, plan.target_error),
        "curve": curve_to_dict(result.curve),
        "passive_curve": curve_to_dict(result.passive_curve),
    }


def savings_of(result):
    """Return the share saved, negative infinity for less than nothing.

    NaN where random labels are no better than a constant answer.
    """
    needed, low, high = np.array(result.savings) + (
        0.0 if result.random_are_of_use else np.nan
    )
    return {
        "labels_needed": result.n_bought * needed,
        "saved": 1 - needed,
        "saved_low": 1 - high,
        "saved_high": 1 - low,
    }


def to_target(curve, target):
    """Return from how many labels the mean error stays at most the target."""
    return None if target is None else curve.labels_for(target)


def curve_to_dict(curve):
    """Return mean and spread of the error for as long as some run bought labels."""
    bought = curve.n_labels <= curve.n_bought.max()
    return {
        "labels": curve.n_labels[bought],
        "error_mean": curve.best - curve.mean[bought],
        "error_std": curve.std[bought],
    }


def rounded(value):
    """Return plain values with six decimals."""
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value


def write_results_csv(results, path):
    """Write a line for each learner: what the table says, unrounded."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(COLUMNS)
        for result in results:
            lines.writerow(COLUMNS[name](result) for name in COLUMNS)


#: The columns of the CSV file, and what is in them.
COLUMNS = {
    "learner": lambda r: learner_code(r.learner),
    "passive": lambda r: learner_code(r.passive),
    "labels_bought": lambda r: r.n_bought,
    "error": lambda r: r.errors.mean(),
    "error_std": lambda r: r.errors.std(),
    "passive_error_with_as_many": lambda r: r.passive_errors.mean(),
    "constant_error": lambda r: r.constant_errors.mean(),
    **{
        name: lambda r, name=name: savings_of(r)[name]
        for name in ("labels_needed", "saved", "saved_low", "saved_high")
    },
}


def draw(plan, results, path):
    """Draw error against labels bought into a file, with matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5), dpi=100, layout="constrained")
    named = short_named(results)
    band = 0.8 if len(results) <= 3 else 0  # more of them hide one another
    display = LabelCurveDisplay(
        {name: result.curve for name, result in named.items()},
        passive={f"random, {n}": r.passive_curve for n, r in named.items()},
        target=plan.target_error,
    ).plot(figure.add_subplot(), band=band)
    display.ax_.get_legend().remove()
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    shaded = ", and the middle 80 % of them" if band else ""
    display.ax_.set_title(f"{plan.data}: means of the runs{shaded}")
    figure.savefig(path)
