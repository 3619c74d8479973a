"""A comparison as text, as plain values for JSON, and as a picture."""

import csv
from dataclasses import asdict

import numpy as np

from .. import __version__
from ..evaluation import LabelCurveDisplay
from ..evaluation._results import plain
from .learners import name_of


def to_text(plan, results):
    """Return what a user wants to know, in lines of about 110 characters."""
    kind = "standardised features" if plan.standardize else "features"
    lines = [
        f"data     {plan.data}: {plan.rows} rows, {plan.features} {kind}, "
        f"{plan.classes} classes",
        f"runs     {plan.folds} folds × {plan.repeats} repeats, seed {plan.seed}; "
        "test error on the fold held out; mean ± std over runs",
    ]
    for name, group in by_twin(results).items():
        n_all, target = group[0].passive_curve.n_offered.max(), percent(group[0].target)
        reason = f", where passive learning ends with all {n_all} labels (on average)"
        rows = [*heading(target), *map(cells, group), passive_cells(group[0])]
        lines += [
            f"passive  the same model buys every label: {name}",
            f"target   {target} % error{reason if plan.target_error is None else ''}",
            "",
            *align(rows),
            "",
            "paired   score less passive's, mean over label counts [95 % interval]",
            *align(map(paired_cells, group)),
            "",
        ]
    lines += [
        "passive needs  labels until passive learning is as good, on average",
        f"(in brackets)  within noise: p >= 0.05 for the error, {plan.n_runs} runs",
        "tests          corrected resampled t-tests of paired runs",
    ]
    if any(0 < r.needed.n_failed < plan.n_runs for r in results):
        lines.append("never          counted as all the labels there are")
    if all(r.needed.n_failed == plan.n_runs for r in results):
        reached = np.ceil(100 * np.median([r.errors.mean() for r in results])) / 100
        lines.append(f"out of reach?  try another target: --target-error {reached:.2f}")
    return "\n".join([*lines, "", verdict(results)])


def by_twin(results):
    """Return the results by the name of their passive twin."""
    groups = {}
    for result in results:
        groups.setdefault(name_of(result.passive), []).append(result)
    return groups


def heading(target):
    """Return the two heading rows of a table."""
    return [
        (
            "",
            "labels",
            "error with",
            "passive with",
            "passive",
            "labels",
            "labels until",
        ),
        ("", "bought", "them, %", "as many, %", "needs", "saved", f"{target} % error"),
    ]


def cells(result):
    """Return the table row of a learner."""
    more = ">" if np.isinf(result.passive_needs) else ""
    needs = min(result.passive_needs, result.passive_curve.n_offered.max())
    saved = f"{more}{percent(result.saved, 0)} %" if result.saved > 0 else "none"
    return (
        name_of(result.learner),
        f"{result.curve.n_bought.mean():.0f}",
        spread(result.errors),
        spread(result.passive_errors),
        f"{more}{needs:.0f}",
        saved if result.is_clear else f"({saved})",
        labels_text(result.needed),
    )


def passive_cells(result):
    """Return the table row of a passive twin."""
    curve = result.passive_curve
    errors, needed = spread(1 - curve.final_scores), labels_text(result.passive_needed)
    return "passive learning", f"{curve.n_offered.max()}", errors, "", "", "", needed


def paired_cells(result):
    """Return the name of a learner, and the test of its area against passive's."""
    test = result.paired
    if test is None:
        return name_of(result.learner), "too few labels in some run"
    low, high = 100 * test.area_low, 100 * test.area_high
    first, last = test.area_range
    return (
        name_of(result.learner),
        f"{100 * test.area_mean:+.1f} points [{low:+.1f}, {high:+.1f}]",
        f"p = {test.area_p_value:.2g}",
        f"{first} to {last} labels",
    )


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


def percent(share, digits=1):
    """Return a share in percent; a dash if it is not known."""
    return "–" if np.isnan(share) else f"{100 * share:.{digits}f}"


def spread(errors):
    """Return mean ± std of errors in percent."""
    return f"{percent(errors.mean())} ± {percent(errors.std())}"


def labels_text(needed):
    """Return mean ± std of the labels to a target, and how many runs failed."""
    n_runs = len(needed.labels)
    if needed.n_failed == n_runs:
        return f"never in {n_runs} runs"
    failed = f", {needed.n_failed} of {n_runs} never" if needed.n_failed else ""
    return f"{needed.mean:.0f} ± {needed.std:.0f}{failed}"


def verdict(results):
    """Return one sentence that says whether anything saved labels."""
    savers = [r for r in results if r.is_clear and r.saved > 0]
    if not savers:
        return "No learner saved labels beyond noise."
    best = max(savers, key=lambda r: r.saved)
    needs = f"{best.passive_needs:.0f}"
    return (
        f"{name_of(best.learner)} saved most: {best.curve.n_bought.mean():.0f} labels "
        f"for {percent(best.errors.mean())} % error; passive learning "
        f"{'never gets there' if needs == 'inf' else f'needs {needs}'}."
    )


def to_dict(plan, results):
    """Return everything as plain values; None stands for never, or not known."""
    return {
        "version": __version__,
        **asdict(plan),
        "results": [
            {
                "learner": name_of(result.learner),
                "passive": name_of(result.passive),
                "target_error": result.target,
                "labels_bought": plain(result.curve.n_bought),
                "errors": plain(result.errors),
                "passive_errors_with_as_many": plain(result.passive_errors),
                "passive_needs_for_mean_error": plain(result.passive_needs),
                "saved": result.saved,
                "saved_is_clear": result.is_clear,
                "p_value": plain(result.p_value),
                "paired_areas": result.paired and result.paired.to_dict(),
                "labels_to_target": needed_to_dict(result.needed),
                "passive_labels_to_target": needed_to_dict(result.passive_needed),
                "curve": curve_to_dict(result.curve),
                "passive_curve": curve_to_dict(result.passive_curve),
            }
            for result in results
        ],
    }


def needed_to_dict(needed):
    """Return labels to a target as plain values."""
    return {
        "runs": plain(needed.labels),
        "n_failed": needed.n_failed,
        "mean_with_failures_as_all": needed.mean,
        "std_with_failures_as_all": needed.std,
    }


def curve_to_dict(curve):
    """Return mean and spread of the error for as long as some run bought labels."""
    bought = curve.n_labels <= curve.n_bought.max()
    return {
        "labels": plain(curve.n_labels[bought]),
        "error_mean": plain(1 - curve.mean[bought]),
        "error_std": plain(curve.std[bought]),
    }


def write_csv(results, path):
    """Write a line for each learner: what the table says, unrounded."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(COLUMNS)
        for result in results:
            lines.writerow(COLUMNS[name](result) for name in COLUMNS)


#: The columns of the CSV file, and what is in them.
COLUMNS = {
    "learner": lambda r: name_of(r.learner),
    "passive": lambda r: name_of(r.passive),
    "labels_bought": lambda r: r.curve.n_bought.mean(),
    "error": lambda r: r.errors.mean(),
    "error_std": lambda r: r.errors.std(),
    "passive_error_with_as_many": lambda r: r.passive_errors.mean(),
    "p_value": lambda r: r.p_value,
    "passive_needs": lambda r: r.passive_needs,
    "saved": lambda r: r.saved,
    "target_error": lambda r: r.target,
    "labels_to_target": lambda r: r.needed.mean,
    "labels_to_target_std": lambda r: r.needed.std,
    "n_failed": lambda r: r.needed.n_failed,
    "passive_labels_to_target": lambda r: r.passive_needed.mean,
}


def draw(plan, results, path):
    """Draw error against labels bought into a file, with matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5), dpi=100, layout="constrained")
    targets = {result.target for result in results}
    band = 0.8 if len(results) <= 3 else 0  # more of them hide one another
    display = LabelCurveDisplay(
        {name_of(result.learner): result.curve for result in results},
        passive={
            f"passive: {name}": group[0].passive_curve
            for name, group in by_twin(results).items()
        },
        target=targets.pop() if len(targets) == 1 else None,
    ).plot(figure.add_subplot(), band=band)
    display.ax_.get_legend().remove()
    figure.legend(loc="outside right upper", frameon=False, fontsize="small")
    shaded = ", and the middle 80 % of them" if band else ""
    display.ax_.set_title(f"{plan.data}: mean of {plan.n_runs} runs{shaded}")
    figure.savefig(path)
