"""Claims on boosting; see `claims`."""

from ._claims_common import count, tables
from ._results import by

PAIRS = ("2v3", "3v5", "3v8", "6v8", "8v9", "0v8")
OTHERS = ("RBoost", "QBB", "COMB")


def lowest_error(rows, kind, digits, relatively=False):
    """Answer for each data set whether FASSL-Boost has the lowest mean error.

    It is level where it has not, but is behind no other by two standard errors; that is
    enough if it shall be lowest only relatively.
    """
    shown = [
        row for row in rows if row["kind"] == kind and (row["data"] in PAIRS) == digits
    ]
    answers, enough = [], []
    for of in tables(shown, "data", "method").values():
        others = [of[name] for name in OTHERS]
        lowest = min(row["mean_error"] for row in others)
        answers.append(of["FASSL"]["mean_error"] < lowest)
        is_behind = [row["difference"] > 2 * row["difference_error"] for row in others]
        enough.append(answers[-1] or not any(is_behind))
    n_level = sum(enough) - sum(answers)
    level = f", level on {n_level} more" if n_level else ""
    shown = f"lowest on {count(answers, 'data sets')}{level}"
    return enough if relatively else answers, shown


def small_alpha(rows):
    """Answer, from one member first, whether all small alphas beat all large ones."""
    from_one = [row for row in rows if row["first_members"] == 1]
    answers, shown = [], []
    for kind in ("transductive, own", "inductive"):
        errors = {
            row["alpha"]: row["mean_error"] for row in from_one if row["kind"] == kind
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


def never_behind_random(rows, kind, names):
    """Answer for each data set whether no method has more errors than random labels."""
    answers, behind = [], []
    for data, of in tables(by(rows, "kind").get(kind, []), "data", "method").items():
        if data in PAIRS:
            continue
        worse = [
            name
            for name in names
            if of[name]["mean_error"] > of["RBoost"]["mean_error"]
        ]
        answers.append(not worse)
        behind += [f"{name} on {data}" for name in worse]
    return answers, f"behind: {', '.join(behind) or 'none'}"


def others_behind_random(rows):
    """Answer whether QBB or COMB have more errors than random labels somewhere."""
    answers, shown = never_behind_random(rows, "transductive", ("QBB", "COMB"))
    return [not all(answers)] if answers else [], shown


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


def lowest(error, kind, digits=False, relatively=False):
    """Return a claim on one kind of error."""
    text = f"FASSL-Boost has {'relatively ' * relatively}the lowest {error}"
    return (
        text,
        "boosting_means",
        lambda rows: lowest_error(rows, kind, digits, relatively),
    )


CLAIMS = [
    (
        "From one member, small α is better and which one matters little (Figure 2)",
        "boosting_figure_2",
        small_alpha,
    ),
    lowest("transductive error (Figure 3), bought labels right", "transductive"),
    lowest("transductive error (Figure 3), its own on all rows", "transductive, own"),
    lowest("inductive error (Figure 4)", "inductive", relatively=True),
    (
        "With too many labels its inductive error rises on some sets (Figure 4)",
        "boosting_errors",
        rises_late,
    ),
    lowest(
        "transductive error on digits (Figure 6), bought labels right",
        "transductive",
        digits=True,
    ),
    lowest(
        "transductive error on digits (Figure 6), its own on all rows",
        "transductive, own",
        digits=True,
    ),
    lowest("inductive error on digits (Figure 7)", "inductive", digits=True),
    (
        "FASSL-Boost takes much less time than QBB and COMB (Figure 5)",
        "boosting_figure_5",
        fastest,
    ),
    (
        "FASSL-Boost is nowhere worse than random labels (Figure 3), bought labels "
        "right",
        "boosting_means",
        lambda rows: never_behind_random(rows, "transductive", ("FASSL",)),
    ),
    (
        "FASSL-Boost is nowhere worse than random labels (Figure 3), its own on all "
        "rows",
        "boosting_means",
        lambda rows: never_behind_random(rows, "transductive, own", ("FASSL",)),
    ),
    (
        "QBB or COMB are worse than random labels somewhere (Figure 3), bought labels "
        "right",
        "boosting_means",
        others_behind_random,
    ),
    (
        "FASSL-Boost is nowhere worse than random labels on new rows, which the paper "
        "does not say",
        "boosting_means",
        lambda rows: never_behind_random(rows, "inductive", ("FASSL",)),
    ),
    (
        "Boosting beats label propagation in the pool (Figure 8)",
        "label_propagation_means",
        lambda rows: boosting_beats_propagation(rows, "transductive"),
    ),
    (
        "Boosting beats label propagation on new rows",
        "label_propagation_means",
        lambda rows: boosting_beats_propagation(rows, "inductive"),
    ),
]
