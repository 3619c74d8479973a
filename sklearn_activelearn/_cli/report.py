"""A comparison as text, as plain values for JSON, and as a picture."""

import csv
from collections import Counter
from dataclasses import asdict
from textwrap import wrap

import numpy as np

from .. import __version__
from ..evaluation import LabelCurveDisplay
from ..evaluation._results import plain
from .comparison import CONFIDENCE
from .learners import learner_code

WIDTH = 100  # of lines of text
LEVEL = f"{CONFIDENCE:.0%}".replace("%", " %")


def to_text(plan, results, details=False):
    """Return the verdict, the table and how it was run, in lines."""
    named = short_named(results)
    rows = [cells(name, r, plan.target_error) for name, r in named.items()]
    lines = [
        *folded(verdict(named)),
        "",
        *align([*heading(plan.target_error), *rows]),
        "",
        f"data  {plan.data}: {plan.size}",
        *(f"runs  {name}: {runs_of(plan, r)}" for name, r in named.items()),
        f"      means of the runs, errors on the rows held out; seed {plan.seed}",
    ]
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


def verdict(named):
    """Return in words whether anything saved labels.

    If several learners save labels, it is about the one whose model has the smallest
    error with random ones: where these hardly train it, much is saved of little.
    """
    known = [(n, r) for n, r in named.items() if r.savings.is_known]
    if not known:
        return "Nothing to compare: in some run no labels were bought, or too few."
    savers = [(n, r) for n, r in known if r.savings.is_clear]
    name, best = min(savers or known, key=lambda item: quality(item[1]))
    work = (
        f"{best.n_needed:,.0f} labels chosen by {name} do the work of "
        f"{best.n_bought:,.0f} random ones, an error of "
        f"{percent(best.passive_errors.mean(), 1)} %"
    )
    if savers:
        return f"On these data {work}: {saved(best.savings)}."
    if np.isinf(best.savings.needed):
        rank = "better" if best.savings.is_worse else "as good"
        return f"No savings on these data: as many random labels are {rank}."
    return (
        f"No savings beyond noise on these data: perhaps {work}: {saved(best.savings)}."
    )


def quality(result):
    """Return what is smaller for the better of two results."""
    return result.passive_errors.mean(), result.savings


def saved(savings):
    """Return the share of labels saved, with its interval."""
    if not savings.is_known:
        return "not known"
    most, least = share(savings.low), share(savings.high)
    ends = most if most == least else f"{least}–{most}"
    text = share(savings.needed)
    return f"{text}{' %' * (text != 'none')} saved ({LEVEL}: {ends})"


def share(needed):
    """Return the share that is saved where another one is needed, in percent."""
    return percent(1 - needed) if needed < 1 else "none"


def heading(target):
    """Return the two heading rows of the table."""
    first = ["", "labels", "error, %:", "as many", "chosen labels"]
    second = ["", "bought", "chosen", "random", "for that"]
    if target is not None:
        first += [f"until {percent(target, 1)} %:", ""]
        second += ["chosen", "random"]
    return [(*first, "saved"), (*second, f"({LEVEL})")]


def cells(name, result, target):
    """Return the table row of a learner."""
    needed = within(result.n_needed, result.n_bought)
    row = [
        name,
        f"{result.n_bought:,.0f}",
        percent(result.errors.mean(), 1),
        percent(result.passive_errors.mean(), 1),
        needed if result.savings.is_known else "–",
    ]
    if target is not None:
        for curve in (result.curve, result.passive_curve):
            row.append(within(curve.labels_for(target), curve.n_bought.mean()))
    words = saved(result.savings)
    return (*row, words.replace(f"{LEVEL}: ", "").replace(" saved", ""))


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
        whose = "random rows" if result.shares_rows else "rows of its own"
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
        f"{LEVEL}: what a paired t-test over runs does not refuse, corrected for rows "
        "that runs share",
        f"(Nadeau and Bengio), at {level:.4g} for each of {len(named)}: all intervals "
        "hold together",
    ]
    for name, result in named.items():
        lines += ["", f"{name}: {learner_code(result.learner)}"]
        lines.append(f"random: {learner_code(result.passive)}")
        if result.savings.is_known:
            lines += align(curve_rows(result))
    return lines


def curve_rows(result):
    """Return a table of the errors after some ten label counts."""
    counts = result.curve.n_labels
    counts = counts[counts <= result.curve.n_bought.max()]
    counts = counts[np.unique(np.linspace(0, len(counts) - 1, 10).astype(int))]
    return [
        ("labels", *(f"{n:,}" for n in counts), ""),
        errors_at(counts, "chosen, error in %", result.curve),
        errors_at(counts, "random", result.passive_curve),
    ]


def errors_at(counts, name, curve):
    """Return a table row of mean errors."""
    errors = 1 - curve.scores_at(counts).mean(axis=0)
    return (name, *(percent(error, 1) for error in errors), "")


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


def percent(value, digits=0):
    """Return a share in percent; a dash if it is not known."""
    return "–" if np.isnan(value) else f"{100 * value:.{digits}f}"


def to_dict(plan, results):
    """Return everything as plain values; None stands for never, or not known."""
    found = {
        "version": __version__,
        **asdict(plan),
        "verdict": verdict(short_named(results)),
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
        **savings_of(result),
        "saved_is_clear": result.savings.is_clear,
        "confidence": result.confidence,
        "labels_to_target": to_target(result.curve, plan.target_error),
        "passive_labels_to_target": to_target(result.passive_curve, plan.target_error),
        "curve": curve_to_dict(result.curve),
        "passive_curve": curve_to_dict(result.passive_curve),
    }


def savings_of(result):
    """Return the share saved, negative infinity for less than nothing."""
    needed, low, high = result.savings
    return {
        "labels_needed": result.n_needed,
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
        "error_mean": 1 - curve.mean[bought],
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
