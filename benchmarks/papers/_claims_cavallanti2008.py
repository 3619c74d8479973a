"""Claims on selective sampling by least squares; see `claims`."""

import numpy as np
from scipy.stats import spearmanr

from ._claims_common import count
from ._results import by, column

SHARES = (0.02, 0.03, 0.05, 0.07, 0.10)


def exponents(rows, what, slack):
    """Compare with the theorem, to two digits; with slack up to a factor of ln² n."""
    shown = [row for row in rows if row["algorithm"] != "all labels"]
    logs = 2 / np.log(rows[0]["rows"] / 10) if slack else 0
    over = [row[f"{what}_exponent"] - row[f"{what}_theory"] for row in shown]
    answers = [round(gap - logs, 2) <= 0 for gap in over]
    range_of = f"measured minus theory {min(over):+.2f} to {max(over):+.2f}"
    return answers, f"{count(answers, 'exponents')}, {range_of}"


def f_at(rows):
    """Return F of each algorithm at `SHARES`, means over the frequent topics."""
    frequent = by(rows, "topics")["frequent"]
    curves = {}
    for name, points in by(frequent, "algorithm").items():
        points = sorted(points, key=lambda point: point["labels"])
        bought, F = column(points, "labels"), column(points, "F")
        curves[name] = np.interp(
            np.log(SHARES), np.log(bought), F, left=np.nan, right=np.nan
        )
    return curves


def compare(rows, better, others):
    F = f_at(rows)
    if not {better, *others} <= F.keys():
        return [], ""
    known = [
        (a, [F[name][k] for name in others])
        for k, a in enumerate(F[better])
        if np.isfinite(a)
    ]
    answers = [bool(a > np.nanmax(b)) for a, b in known if np.isfinite(b).any()]
    return answers, count(answers, f"shares from {SHARES[0]:.0%} to {SHARES[-1]:.0%}")


def reach_sop(rows):
    curves = by(by(rows, "topics")["frequent"], "algorithm")
    best = {
        name: max(column(points, "F"))
        for name, points in curves.items()
        if max(column(points, "labels")) > SHARES[-1]  # not until then, says the paper
    }
    if "SOP" not in best:
        return [], ""
    reached = [
        best[name] >= best["SOP"] - 0.01 for name in {"SSMD", "SOLE"} & best.keys()
    ]
    return reached, ", ".join(f"{name} {F:.3f}" for name, F in sorted(best.items()))


def correlation(rows, what, beside, lowest):
    found = spearmanr(column(rows, what), column(rows, beside)).statistic
    return [
        bool(found * np.sign(lowest) >= abs(lowest))
    ], f"rank correlation {found:.2f}"


def same_f(rows):
    thirds = [np.mean(part) for part in np.array_split(column(rows, "F"), 3)]
    return [min(thirds) > 0.8 * max(thirds)], "F {:.2f}, {:.2f}, {:.2f}".format(*thirds)


CLAIMS = [
    (
        "Theorem 2: labels grow as n^(2/(2+α)), up to logarithms",
        "low_noise",
        lambda rows: exponents(rows, "labels", slack=True),
    ),
    (
        "Theorem 2: regret grows at most as n^(2/(3+α))",
        "low_noise",
        lambda rows: exponents(rows, "regret", slack=False),
    ),
    (
        "SSMD is ahead of all others below 10 % of the labels",
        "second_order_figure_2",
        lambda rows: compare(rows, "SSMD", ("SS", "SOLE", "DKMperc", "SOP", "PERC")),
    ),
    (
        "SSNL is the worst of the three variants",
        "second_order_figure_2",
        lambda rows: compare(rows, "SS", ("SSNL",)),
    ),
    (
        "SSMD and SOLE reach the F of SOP with all labels",
        "second_order_figure_2",
        reach_sop,
    ),
    (
        "DKMperc is ineffective: behind SOLE",
        "second_order_figure_2",
        lambda rows: compare(rows, "SOLE", ("DKMperc",)),
    ),
    (
        "SSMD stores more on harder topics",
        "second_order_figure_3",
        lambda rows: correlation(rows, "stored", "svm_norm", 0.5),
    ),
    (
        "Rare topics cost more labels",
        "second_order_figure_3",
        lambda rows: correlation(rows, "labels", "positive", -0.5),
    ),
    (
        "F is about the same on rare topics",
        "second_order_figure_3",
        same_f,
    ),
]
