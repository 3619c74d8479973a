"""Claims on boosting; see `claims`."""

import numpy as np

from benchmarks.results import by, column, deviation

from ._claims_common import count, tables

PAIRS = ("2v3", "3v5", "3v8", "6v8", "8v9", "0v8")
OTHERS = ("RBoost", "QBB", "COMB")
#: Algorithm 1 begins with one member; the default with one for each first label.
FROM_1, AS_LABELS = "FASSL from 1", "first members as labels"


def on_equal_splits(rows, runs, kind, names):
    """Return for each set the mean errors of some methods, on the same splits.

    Sets without one of the methods are left out. A method may have more splits than
    others; then its first ones count, which the file of single runs has.
    """
    found = {}
    of_kind = by(by(rows, "kind").get(kind, []), "data")
    each = by(by(runs, "kind").get(kind, []), "data")
    for data, group in of_kind.items():
        of = {row["method"]: row for row in group if row["method"] in names}
        if len(of) < len(names):
            continue
        n_splits = min(row["runs"] for row in of.values())
        single = by(
            [row for row in each.get(data, []) if row["run"] < n_splits], "method"
        )
        found[data] = {
            name: row["mean_error"]
            if row["runs"] == n_splits
            else np.mean(column(single[name], "mean_error"))
            for name, row in of.items()
        }
    return found


def lowest_of(rows, runs, kind, method):
    """Return for each set whether a method is lowest, and whether it is level.

    It is level where it is behind no other by two standard errors, from the single runs
    or from the differences to FASSL-Boost that a file has.
    """
    answers, level = {}, {}
    errors = tables(by(rows, "kind").get(kind, []), "data", "method")
    each = by(by(runs, "kind").get(kind, []), "data")
    for data, of in on_equal_splits(rows, runs, kind, (method, *OTHERS)).items():
        answers[data] = of[method] < min(of[name] for name in OTHERS)
        single = tables(each.get(data, []), "method", "run")
        behind = []
        for name in OTHERS:
            error = errors[data][name]["difference_error"]
            common = single.get(method, {}).keys() & single.get(name, {}).keys()
            if common:
                gaps = [
                    single[method][run]["mean_error"] - single[name][run]["mean_error"]
                    for run in common
                ]
                error = deviation(gaps) / np.sqrt(len(gaps))
            behind.append(of[method] - of[name] > 2 * error)
        level[data] = not answers[data] and not any(behind)
    return answers, level


def lowest_error(rows, runs, kind, relatively=False):
    """Answer for each benchmark whether FASSL-Boost has the lowest mean error.

    As Algorithm 1 has it, with one member first. Level is enough if it shall be lowest
    only relatively.
    """
    shown, verdicts = [], []
    for method in (FROM_1, "FASSL"):
        answers, level = (
            [of[data] for data in of if data not in PAIRS]
            for of in lowest_of(rows, runs, kind, method)
        )
        beside = f", level on {sum(level)} more" * any(level)
        shown.append(f"lowest on {count(answers, 'data sets')}{beside}")
        verdicts.append(np.logical_or(answers, relatively * np.array(level)).tolist())
    return verdicts[0], f"{shown[0]} ({AS_LABELS}: {shown[1]})" if verdicts[0] else ""


def lowest_on_digits(rows, runs, kind):
    """Answer for each pair of digits, with one member for each first label."""
    answers, level = (
        [of[data] for data in of if data in PAIRS]
        for of in lowest_of(rows, runs, kind, "FASSL")
    )
    shown = f"{AS_LABELS}: lowest on {count(answers, 'data sets')}"
    return answers, f"{shown}, level on {sum(level)} more"


def small_alpha(rows):
    """Answer, from one member first, whether all small alphas beat all large ones."""
    from_one = [row for row in rows if row["first_members"] == 1]
    answers, shown = [], []
    for kind in ("transductive, own", "inductive"):
        errors = {
            row["alpha"]: row["mean_error"]
            for row in from_one
            if row["kind"] == kind and isinstance(row["alpha"], float)
        }
        small = [error for alpha, error in errors.items() if alpha < 0.1]
        large = [error for alpha, error in errors.items() if alpha >= 0.1]
        if small and large:
            answers.append(max(small) < min(large))
            ranges = (f"{min(part):.1f} to {max(part):.1f}" for part in (small, large))
            shown.append(" against ".join(ranges))
    return answers, f"errors in %: {'; '.join(shown)}"


def fastest(rows):
    """Answer for the other learners whether they take twice as long, or longer."""
    last = max(row["labels"] for row in rows)
    seconds = {row["method"]: row["seconds"] for row in rows if row["labels"] == last}
    ratios = {
        name: seconds[name] / seconds["FASSL"]
        for name in ("QBB", "COMB")
        if name in seconds
    }
    shown = ", ".join(
        f"{name} takes {ratio:.1f} times" for name, ratio in ratios.items()
    )
    return [ratio >= 2 for ratio in ratios.values()], f"{shown} as long"


def behind_random(rows, runs, kind, names):
    """Return for each benchmark which methods have more errors than random labels."""
    return {
        data: [name for name in names if of[name] > of["RBoost"]]
        for data, of in on_equal_splits(rows, runs, kind, (*names, "RBoost")).items()
        if data not in PAIRS
    }


def in_words(behind):
    """Return the sets on which there is a method behind random labels."""
    return ", ".join(data for data, names in behind.items() if names) or "nowhere"


def never_behind_random(rows, runs, kind):
    """Answer for each benchmark whether FASSL-Boost is not behind random labels."""
    one, many = (behind_random(rows, runs, kind, (name,)) for name in (FROM_1, "FASSL"))
    shown = f"behind: {in_words(one)} ({AS_LABELS}: {in_words(many)})"
    return [not names for names in one.values()], shown


def others_behind_random(rows, runs):
    """Answer whether QBB or COMB have more errors than random labels somewhere."""
    behind = behind_random(rows, runs, "transductive", ("QBB", "COMB"))
    return [any(behind.values())] * bool(behind), f"behind: {in_words(behind)}"


def rises_late(rows):
    """Answer whether the error on new rows ends a point above its lowest somewhere."""
    of = tables(by(by(rows, "kind")["inductive"], "method")["FASSL"], "data", "labels")
    ends = {
        data: (min(row["error"] for row in curve.values()), curve[max(curve)]["error"])
        for data, curve in of.items()
        if data not in PAIRS
    }
    shown = ", ".join(
        f"{data} {lowest:.1f} to {last:.1f}"
        for data, (lowest, last) in ends.items()
        if last > lowest + 1
    )
    return [bool(shown)] if ends else [], shown or "nowhere by a point"


def boosting_beats_propagation(rows, kind):
    """Answer for each data set whether boosting is better than the best graph."""
    shown = by(rows, "kind").get(kind, [])
    answers = [
        of["FASSL-Boost"]["mean_error"]
        < min(row["mean_error"] for name, row in of.items() if name.startswith("ALP"))
        for of in tables(shown, "data").values()
    ]
    return answers, count(answers, "data sets")
