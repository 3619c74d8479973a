"""Functions that check claims of several papers; see `claims`."""

import numpy as np

from benchmarks.results import by


def tables(rows, name, key="learner"):
    """Return the rows by a column, each as a dict by another."""
    return {
        value: {row[key]: row for row in group}
        for value, group in by(rows, name).items()
    }


def count(answers, what):
    """Return how many answers are yes, as a text."""
    return f"{sum(answers)} of {len(answers)} {what}"


def difference(gap, error, digits=1):
    """Return a difference with its standard error, and whether it is noise."""
    noise = ", within noise" * bool(abs(gap) <= 2 * error)
    return f"{gap:+.{digits}f} ± {error:.{digits}f}{noise}"


def factors(rows, group, baseline, names, figure):
    """Return how many times more labels the baseline needs than the best of others."""
    return [
        of[baseline][figure] / min(of[name][figure] for name in names if name in of)
        for of in tables(rows, group).values()
        if np.isfinite(of.get(baseline, {}).get(figure, np.nan))
    ]


def fewer_labels(rows, figure, least=1.0, group="data", baseline="", names=()):
    """Answer for each problem whether the baseline needs `least` times the labels."""
    ours, published = (
        factors(rows, group, baseline, names, key) for key in (figure, "published")
    )
    answers = [factor > least for factor in ours]
    return answers, *(
        f"{min(found):.1f} to {max(found):.1f} times fewer, {len(found)} problems"
        if found
        else ""
        for found in (ours, published)
    )


def same_best(rows, group, names, counted="labels", one=()):
    """Answer for each problem whether the best learner is the published one.

    Problems of ``one``, of which the paper has one and does not say which, count as one
    that agrees if all of them do.
    """
    answers, of_one, others = [], [], []
    for problem, of in tables(rows, group).items():
        shown = [
            of[name]
            for name in names
            if name in of and np.isfinite(of[name]["published"])
        ]
        if shown:
            ours, published = (
                min(shown, key=lambda row: np.nan_to_num(row[figure], nan=np.inf))
                for figure in (counted, "published")
            )
            (of_one if problem in one else answers).append(ours is published)
            if ours is not published:
                gap = ours[counted] - published[counted]
                pair = f"{ours['learner']} and not {published['learner']}"
                error = np.hypot(*(row_error(row) for row in (ours, published)))
                others.append(f"{problem}: {pair}, {difference(gap, error, 0)}")
    if of_one:
        answers.append(all(of_one))
    return answers, "; ".join([count(answers, "problems"), *others])


def row_error(row):
    """Return the standard error of a row's labels, of the runs that count."""
    std, runs = row.get("std", np.nan), row["runs"]
    if "labels_std" in row:
        std, runs = row["labels_std"], runs - row["failed"]
    return std / np.sqrt(max(runs, 1))
