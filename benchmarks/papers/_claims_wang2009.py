"""Claims on boosting; see `claims`."""

from ._claims_common import count, tables
from ._results import by

PAIRS = ("2v3", "3v5", "3v8", "6v8", "8v9", "0v8")
OTHERS = ("RBoost", "QBB", "COMB")


def lowest_error(rows, kind, digits):
    """Answer for each data set whether FASSL-Boost has the lowest mean error."""
    shown = [
        row for row in rows if row["kind"] == kind and (row["data"] in PAIRS) == digits
    ]
    sets = tables(shown, "data", "method")
    answers = [
        of["FASSL"]["mean_error"] < min(of[name]["mean_error"] for name in OTHERS)
        for of in sets.values()
    ]
    return answers, count(answers, "data sets")


def active_beats_random(rows):
    """Answer for each data set whether FASSL-Boost is better than random labels."""
    shown = by(rows, "kind").get("transductive", [])
    answers = [
        of["FASSL"]["mean_error"] < of["RBoost"]["mean_error"]
        for name, of in tables(shown, "data", "method").items()
        if name not in PAIRS
    ]
    return answers, count(answers, "data sets")


def boosting_beats_propagation(rows, kind):
    """Answer for each data set whether boosting is better than the best graph."""
    shown = by(rows, "kind").get(kind, [])
    answers = [
        of["FASSL-Boost"]["mean_error"]
        < min(row["mean_error"] for name, row in of.items() if name.startswith("ALP"))
        for of in tables(shown, "data").values()
    ]
    return answers, count(answers, "data sets")


CLAIMS = [
    (
        "FASSL-Boost has the lowest transductive error (Figure 3)",
        "boosting_means",
        lambda rows: lowest_error(rows, "transductive", digits=False),
    ),
    (
        "FASSL-Boost has the lowest inductive error (Figure 4)",
        "boosting_means",
        lambda rows: lowest_error(rows, "inductive", digits=False),
    ),
    (
        "FASSL-Boost has the lowest transductive error on digits (Figure 6)",
        "boosting_means",
        lambda rows: lowest_error(rows, "transductive", digits=True),
    ),
    (
        "FASSL-Boost has the lowest inductive error on digits (Figure 7)",
        "boosting_means",
        lambda rows: lowest_error(rows, "inductive", digits=True),
    ),
    (
        "FASSL-Boost beats random labels in the pool",
        "boosting_means",
        active_beats_random,
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
