"""Figures that claims need and files have not: of runs, of rows, of whole files."""

from functools import cache

import numpy as np
from scipy.stats import spearmanr

from benchmarks.results import by, column, read
from benchmarks.statistics import Estimate

#: Of the runs of one learner.
STATISTICS = {
    "mean": np.nanmean,
    "deviation": lambda values: np.nanstd(values, ddof=1),
    "largest gap": lambda values: np.diff(np.sort(values)).max() / np.ptp(values),
}


def rank_correlation(rows, one, other):
    return spearmanr(column(rows, one), column(rows, other)).statistic


def exponent(rows, x, y):
    """Return the exponent of x that y grows as; NaN for a run without two points."""
    points = np.log([(row[x], row[y]) for row in rows if row[y] > 0])
    points = points[np.isfinite(points).all(axis=1)] if len(points) else points
    return np.polyfit(*points.T, 1)[0] if len(points) > 1 else np.nan


#: Of the rows of one run, by columns.
OF_A_RUN = {
    "rank correlation": rank_correlation,
    "exponent": exponent,
    "mean of": lambda rows, name: np.mean(column(rows, name)),
    "last minus lowest": lambda rows, name: rows[-1][name] - min(column(rows, name)),
    "last minus first": lambda rows, name: rows[-1][name] - rows[0][name],
    "likeliest": lambda rows, what, p: max(rows, key=lambda row: row[p])[what],
}


def estimate(rows, runs, value, settings):
    """Return the figure of one learner in a case, from rows of runs or of means.

    Parameters
    ----------
    rows : list of dict
        The rows of the learner in the case.
    runs : list
        The runs that all learners of the case have.
    value : str
        The column of the figure.
    settings : dict
        Of the claim.
    """
    get, of_a_run = settings.get, settings.get("of a run")
    if "run" not in rows[0]:
        if of_a_run:
            value = OF_A_RUN[of_a_run[0]](rows, *of_a_run[1:])
            return Estimate(value, np.nan, rows[0]["runs"])
        (row,) = rows
        error = 0.0 if get("exact") else row.get(get("error"), np.nan)
        if deviation := get("deviation"):
            error = row[deviation] / np.sqrt(row["runs"])
        return Estimate(row[value], error, np.inf if get("exact") else row["runs"])
    of_runs = by(rows, "run")
    values = [
        OF_A_RUN[of_a_run[0]](of_runs[run], *of_a_run[1:])
        if of_a_run
        else of_runs[run][0][value]
        for run in runs
    ]
    values = np.array(values, dtype=float)
    if "share over" in settings:
        values = (values >= get("share over")).astype(float)
    values[np.isinf(values)] = np.nan
    return Estimate.of_runs(values, STATISTICS[get("statistic", "mean")])


#: Rows of a training fold: labels of a run that never reaches its target.
FOLD_ROWS = {"USPS 0vAll": 6568, "USPS 147vAll": 6568}
SHARES = (0.02, 0.03, 0.05, 0.07, 0.1)
#: The logarithm of n in the middle of the last two decades of a million rows.
LOG_ROWS = np.log(1e5)


def counting_failures(row):
    """Return labels, a failed run counted as all its rows."""
    if np.isinf(row["labels"]):
        return FOLD_ROWS.get(row["problem"], 9000)
    return row["labels"]


def regret_bound(row):
    """Return the bound of Theorem 1, by the covariance of `make_low_noise`, c = 1."""
    n, d, alpha = 1e6, row["d"], row["alpha"]
    # the mean square of the margin: uniform on [.5, 1], or alpha/(2 + alpha)
    along = 7 / 12 if np.isinf(alpha) else alpha / (2 + alpha)
    logs = np.log1p(n * along) + (d - 1) * np.log1p(n * (1 - along) / (d - 1))
    power = 1 / (2 + alpha)
    return (4 * (1 + logs)) ** (1 - power) * n**power


DERIVED = {
    "counting failures": counting_failures,
    "regret bound": regret_bound,
    # of Theorem 2: (ln n)^(alpha / (2 + alpha)) n^(2 / (2 + alpha))
    "labels bound": lambda row: (
        (2 + row["alpha"] / LOG_ROWS) / (2 + row["alpha"])
        if np.isfinite(row["alpha"])
        else 1 / LOG_ROWS
    ),
    "labels bound, ln² n": lambda row: row["labels_theory"] + 2 / LOG_ROWS,
    # (ln n)^((1 + alpha) / (3 + alpha)) n^(2 / (3 + alpha))
    "exponent bound": lambda row: (
        (2 + (1 + row["alpha"]) / LOG_ROWS) / (3 + row["alpha"])
        if np.isfinite(row["alpha"])
        else 1 / LOG_ROWS
    ),
    "regret for each label": lambda row: (
        (row["regret_exponent"] - 1) / row["labels_exponent"]
    ),
    "as published": lambda row: row["separable"] == row["published_separable"],
    "1/target": lambda row: 1 / row["target_error"],
    "run": lambda row: row["trial"],
    "d ln 1/ε": lambda row: row["d"] * np.log(1 / row["error"]),
    "1/ε": lambda row: 1 / row["error"],
}


def at_shares(rows):
    """Return F at shares of labels, interpolated between the settings of an algorithm.

    An algorithm that ran in one order has the largest deviation of the others.
    """
    found = []
    for name, points in by(rows, "algorithm").items():
        points = sorted(points, key=lambda point: point["labels"])
        bought = np.log(column(points, "labels"))
        for share in (*SHARES, "most labels"):
            x = bought[-1] if share == "most labels" else np.log(share)
            F, std = (
                np.interp(x, bought, column(points, name), left=np.nan, right=np.nan)
                for name in ("F", "F_std")
            )
            row = {"algorithm": name, "share": share, "F": F, "std": std}
            found.append({**points[0], **row})
    for row in found:
        stds = [one["std"] for one in found if one["share"] == row["share"]]
        std = np.nanmax(stds) if np.isnan(row["std"]) else row["std"]
        row["error"] = std / np.sqrt(row["runs"])
    return found


def adaptive_b(rows):
    """Return for each run with an adaptive b its mistakes beyond those of a fixed b.

    The mistakes of a fixed b with as many labels are interpolated between values of b.
    """
    found = []
    for group in by(rows, "sequence").values():
        fixed = by([row for row in group if row["b"] != "adaptive"], "b").values()
        means = sorted(
            (np.mean(column(of, "labels")), np.mean(column(of, "mistakes")))
            for of in fixed
        )
        labels, mistakes = np.transpose(means)
        for row in group:
            inside = labels[0] <= row["labels"] <= labels[-1]
            if row["b"] == "adaptive" and inside:
                equal = np.interp(np.log(row["labels"]), np.log(labels), mistakes)
                found.append({**row, "beyond": row["mistakes"] - equal})
    return found


def with_topics(runs, topics):
    """Return rows of runs with what does not change between runs, by topic."""
    fixed = {row["topic"]: row for row in topics}
    names = ("svm_norm", "positive")
    return [row | {name: fixed[row["topic"]][name] for name in names} for row in runs]


#: The third of 21 models, from little penalty to much, that each set favours (4.3).
FAVOURED = {"mushroom": 3, "usps": 10, "votes": 10, "heart": 17, "ionosphere": 17}


def models_alone(rows):
    """Return for each set the place of the best model alone, and of the favoured third.

    The place by log loss is the mean over trials, with its standard error.
    """
    found = []
    rows = [row for row in rows if row["penalty"] == "sum" and row["labels"] == 100]
    for problem, models in by(rows, "problem").items():
        if problem not in FAVOURED:
            continue
        places, shares = np.array(column(models, "model")), column(models, "least")
        place, n = np.average(places, weights=shares), models[0]["runs"]
        square = np.average((places - place) ** 2, weights=shares) / (n - 1)
        best = max(models, key=lambda row: row["accuracy"])["model"]
        row = {"problem": problem, "method": "ALMS", "place": place, "of": "λ"}
        row |= {"error": np.sqrt(square), "best": best, "within": 2}
        found.append({**models[0], **row, "third": FAVOURED[problem], "wide": 3.5})
    return found


#: name: (files, function of their rows)
VIEWS = {
    "second_order_at_shares": (["second_order_figure_2"], at_shares),
    "second_order_topics": (
        ["second_order_figure_3_runs", "second_order_figure_3"],
        with_topics,
    ),
    "second_order_topics_lam": (
        ["second_order_lam_runs", "second_order_lam"],
        with_topics,
    ),
    "bounds_adaptive": (["bounds_mistakes_runs"], adaptive_b),
    "alms_models_alone": (["alms_single_models"], models_alone),
}


@cache
def table(folder, name):
    """Return the rows of a file, or of what is made of files.

    Of runs that were not stored there are the means, without a standard error.
    """
    if name in VIEWS:
        files, view = VIEWS[name]
        return view(*(table(folder, file) for file in files))
    return tuple(read(folder, name) or read(folder, name.removesuffix("_runs")))
