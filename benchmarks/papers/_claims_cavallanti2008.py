"""Claims on selective sampling by least squares; see `claims`."""

import numpy as np
from scipy.stats import spearmanr

from benchmarks.results import by, column

from ._claims_common import count

SHARES = (0.02, 0.03, 0.05, 0.07, 0.10)
RANGE = f"shares from {SHARES[0]:.0%} to {SHARES[-1]:.0%}"


def per_label(row):
    """Return the exponent, in the labels bought, of the mean regret of a step."""
    if row["labels_exponent"] == 0:
        return -np.inf
    return (row["regret_exponent"] - 1) / row["labels_exponent"]


def regret_bound(row):
    """Return the bound of Theorem 1, by the covariance of `make_low_noise`, c = 1."""
    n, d, alpha = row["rows"], row["d"], row["alpha"]
    # the mean square of the margin: uniform on [.5, 1], or alpha/(2 + alpha)
    along = 7 / 12 if np.isinf(alpha) else alpha / (2 + alpha)
    aside = (1 - along) / (d - 1)
    logs = np.log1p(n * along) + (d - 1) * np.log1p(n * aside)
    power = 1 / (2 + alpha)
    return (4 * (1 + logs)) ** (1 - power) * n**power


def below_theorem_1(rows):
    shares = [
        row["regret"] / regret_bound(row)
        for row in rows
        if row["algorithm"] == "all labels"
    ]
    if not shares:
        return [], ""
    shown = f"regret is {min(shares):.2%} to {max(shares):.2%} of the bound"
    return [share <= 1 for share in shares], shown


def better_per_label(rows):
    """Answer for each alpha whether SSNL is better exactly above the critical one."""
    answers, shown = [], []
    for d, of_d in by(rows, "d").items():
        for alpha, group in by(of_d, "alpha").items():
            of = {row["algorithm"]: per_label(row) for row in group}
            if {"SSNL paper", "all labels"} <= of.keys():
                better = of["SSNL paper"] < of["all labels"]
                answers.append(bool(better == (alpha > np.sqrt(3) - 1)))
                if not answers[-1]:
                    shown.append(f"d = {d:g}, α = {alpha:g}")
    others = f"; not {', '.join(shown)}" if shown else ""
    return answers, f"{count(answers, 'settings')}{others}"


def exponents(rows, what, slack, names=("SSNL paper", "SSNL small", "SS small")):
    """Compare with the theorem, to two digits; with slack up to a factor of ln² n."""
    shown = [row for row in rows if row["algorithm"] in names]
    if not shown:
        return [], ""
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
    return answers, count(answers, RANGE)


def is_behind(rows, worst, others):
    """Answer for each share of labels whether one algorithm is behind all others."""
    F = f_at(rows)
    if not {worst, *others} <= F.keys():
        return [], ""
    shown = np.array([F[name] for name in others])
    known = np.isfinite(shown).any(axis=0) & np.isfinite(F[worst])
    answers = (F[worst][known] < np.nanmin(shown[:, known], axis=0)).tolist()
    return answers, count(answers, RANGE)


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
