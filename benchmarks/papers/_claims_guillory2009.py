"""Claims on margin losses; see `claims`."""

import numpy as np

from benchmarks.results import column

from ._claims_common import difference, fewer_labels, row_error, same_best, tables

NON_CONVEX = ("ramp", "log", "root", "sigmoid", "R+H", "S+H")
ONE_START = ("hinge", "ramp", "log", "root", "sigmoid", "greedy")
#: Two problems where the paper has one, which it does not name.
USPS = ("usps-0vAll", "usps-8vAll")


def fewer_than_the_hinge(rows):
    names = (*ONE_START[1:], "R+H", "S+H")
    return fewer_labels(rows, "labels", group="data", baseline="hinge", names=names)


def same_best_of_one_start(rows):
    return same_best(rows, "data", ONE_START, one=USPS)


def fails(rows, data, names, lowest, highest):
    """Answer for each learner whether its share of failed runs is in a range."""
    of = tables(rows, "data").get(data, {})
    shown = [of[name] for name in names if name in of]
    answers = [lowest <= row["failed"] / row["runs"] <= highest for row in shown]
    ours = ", ".join(
        f"{row['learner']} fails in {row['failed']:.0f} of {row['runs']:.0f} runs"
        for row in shown
    )
    published = ", ".join(f"{row['learner']} {row['published']:.0f}" for row in shown)
    return answers, ours, f"labels: {published}"


#: What a warm start is to do, by the labels that it saves of 10,000.
EFFECTS = {
    "fewer": lambda gain: gain > 0,
    "more": lambda gain: gain < 0,
    "no fewer": lambda gain: gain < 1000,
}


def warm_start(rows, starts):
    """Answer for each set, learner and the same learner after a warm start."""
    of, answers, ours, published = tables(rows, "data"), [], [], []
    for data, *names, effect in starts:
        if data in of:
            cold, warm = (of[data][name] for name in names)
            gain = cold["labels"] - warm["labels"]
            answers.append(bool(EFFECTS[effect](gain)))
            error = np.hypot(row_error(cold), row_error(warm))
            ours.append(f"{data} {names[0]} {difference(gain, error, 0)}")
            published.append(f"{cold['published'] - warm['published']:.0f}")
    return answers, f"saves: {', '.join(ours)}", f"saves {', '.join(published)}"


def only_three_reach_rcv1(rows):
    of = tables(rows, "data").get("rcv1", {})
    answers = [
        (of[name]["failed"] == 0) == (name in ("ramp", "sigmoid", "greedy"))
        and of[name]["failed"] in (0, of[name]["runs"])
        for name in ONE_START
        if name in of
    ]
    failed = [f"{name} {of[name]['failed']:.0f}" for name in ONE_START if name in of]
    return answers, f"failed runs: {', '.join(failed)}"


def two_peaks(rows):
    errors = np.sort(
        [row["final_error"] for row in rows if row["data"].startswith("usps-0")]
    )
    if len(errors) < 2:
        return [], ""
    gaps = np.diff(errors)
    at = int(gaps.argmax())
    low, high = errors[: at + 1], errors[at + 1 :]
    answer = gaps[at] > 5 * max(np.ptp(low), np.ptp(high))
    return [bool(answer)], (
        f"{len(low)} runs at {low[0]:.3f} to {low[-1]:.3f}, {len(high)} at "
        f"{high[0]:.3f} to {high[-1]:.3f}"
    )


def lower_errors(rows):
    """Answer whether a loss has less error than the hinge by three standard errors.

    Three, since the best of six losses is looked at on each set.
    """
    shown = []
    for data, of_data in tables(rows, "data").items():
        gaps = {
            name: of_data[name]["gap"]
            for name in NON_CONVEX
            if name in of_data
            and of_data[name]["gap"] < -3 * of_data[name]["gap_standard_error"]
        }
        if gaps:
            best = min(gaps, key=gaps.get)
            shown.append(f"{data} {best} {100 * gaps[best]:+.2f}")
    return [bool(shown)] * bool(rows), f"points: {', '.join(shown) or 'none'}"


def offline(rows, data, worse):
    last = max(column(rows, "labels"))
    shown = [
        row
        for row in rows
        if row["labels"] == last
        and row["problem"] in data
        and row["learner"] in ("sigmoid", "smooth ramp")
        and np.isfinite(row["gap"])
    ]
    answers = [
        (row["gap"] > 2 * row["gap_standard_error"])
        if worse
        else (abs(row["gap"]) <= 2 * row["gap_standard_error"])
        for row in shown
    ]
    return answers, ", ".join(
        f"{row['learner']} {difference(row['gap'], row['gap_standard_error'], 2)}"
        for row in shown
    )


def errors_of_losses(rows):
    """Answer for each loss whether its error is the published one."""
    answers = [abs(row["error"] - row["published"]) < 0.015 for row in rows]
    return answers, *(
        ", ".join(f"{row['loss']} {row[figure]:.2f}" for row in rows)
        for figure in ("error", "published")
    )


def like_the_hinge(rows):
    shown = [row for row in rows if row["loss"] in ("log_ramp", "root_ramp")]
    return [row["as_hinge"] > row["as_zero_one"] for row in shown], "; ".join(
        f"{row['loss']}: rank correlation {row['as_hinge']:.2f} with the hinge, "
        f"{row['as_zero_one']:.2f} with zero-one"
        for row in shown
    )
