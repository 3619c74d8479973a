"""Results of the trials of `alms`, as rows of its files."""

import numpy as np
from scipy.special import entr
from scipy.stats import ttest_rel

from benchmarks.results import deviation, published

#: Published areas.
PUBLISHED = published("table_1")

SCORES = ("accuracy", "log_loss")

#: What `in_time` tells of a number of labels.
IN_TIME = (*SCORES, "validation", "entropy")

#: Instead of a problem: all of them, trial by trial.
POOLED = "all"

#: The columns of a setting: what the paper leaves open, and how many labels are bought.
SETTING = ("penalty", "initial", "labels")
FIGURE_SETTING = ("penalty", "initial", "budget")


def rank(setting):
    """Return what sorts settings, with or without labels: the primary one comes first.

    That is a penalty beside the sum of the losses, with the most labels: only then do
    heart and ionosphere need a strong penalty, as in the paper.
    """
    penalty, *counts = setting
    return penalty != "sum", *(-count for count in counts)


def in_words(setting):
    """Return a setting, with or without labels, in words."""
    penalty, initial, *labels = setting
    if labels:
        return f"beside the {penalty}, {initial:.0f} to {labels[0]:.0f} labels"
    return f"beside the {penalty}, {initial:.0f} first labels"


def curve_heights(found, counts):
    """Return the mean heights of all curves, of shape (n_trials, n_models, 2)."""
    scores = np.array([one["scores"] for one in found])
    return np.trapezoid(scores, counts, axis=2) / (counts[-1] - counts[0])


def areas(found, counts):
    """Return the mean heights of the curves, of shape (2, n_trials).

    The oracle's are those of the parameters that are best on average.
    """
    height = curve_heights(found, counts)
    best = (height * [1, -1]).mean(axis=0).argmax(axis=0)
    return np.array([height[:, best[k], k] for k in (0, 1)])


def heights_of(results, counts):
    """Return the areas of each method."""
    return {method: areas(found, counts) for method, found in results.items()}


def pooled(parts):
    """Return the results and the areas of several problems as of one problem."""
    results, heights = zip(*parts, strict=True)
    return (
        {name: [one for part in results for one in part[name]] for name in results[0]},
        {name: np.hstack([part[name] for part in heights]) for name in heights[0]},
    )


def summary(problem, penalty, results, heights, counts):
    """Return a row for each method: areas, differences to passive, p beside ALMS."""
    rows = []
    for method, found in results.items():
        row = {"problem": problem, "penalty": penalty, "initial": counts[0]}
        row |= {"labels": counts[-1], "method": method}
        for k, (name, height) in enumerate(zip(SCORES, heights[method], strict=True)):
            row[name], row[f"{name}_std"] = height.mean(), deviation(height)
            gain = height - heights["passive"][k] if "passive" in heights else height
            row[f"{name}_gain"] = gain.mean() if method != "passive" else np.nan
            error = deviation(gain) / np.sqrt(len(gain))
            row[f"{name}_gain_error"] = error if method != "passive" else np.nan
            can_test = "ALMS" in heights and method != "ALMS" and len(gain) > 2
            p = ttest_rel(height, heights["ALMS"][k]).pvalue if can_test else np.nan
            row[f"{name}_p"] = p
        last = np.mean([one["scores"][0][-1] for one in found], axis=0)
        last = np.full(2, np.nan) if method == "oracle" else last
        row |= {f"final_{name}": one for name, one in zip(SCORES, last, strict=True)}
        shares = [np.mean(one["is_validation"]) for one in found if "values" in one]
        row["validation_share"] = np.mean(shares) if shares else np.nan
        row["seconds"] = np.mean([one["seconds"] for one in found])
        rows.append(row | {"published": PUBLISHED.get((problem, method), (None,))[0]})
    return rows


def of_trials(rows, heights):
    """Return a row for each method and trial: the areas."""
    return [
        {name: row[name] for name in ("problem", "penalty", "initial", "labels")}
        | {"method": row["method"], "run": run}
        | dict(zip(SCORES, areas_of_one, strict=True))
        for row in rows
        for run, areas_of_one in enumerate(heights[row["method"]].T)
    ]


def in_time(rows, results, counts):
    """Return a row for each method and number of labels, and rows of single trials.

    They have the scores; for ALMS also how many labels validate, and the entropy of
    the models' probabilities.
    """
    means, each = [], []
    for row in rows:
        found = results[row["method"]]
        if row["method"] == "oracle":
            continue
        head = {name: row[name] for name in ("problem", "penalty", "initial")}
        head |= {"budget": row["labels"], "method": row["method"]}
        for number, count in enumerate(counts):
            values = [at_count(one, number, count, counts[-1]) for one in found]
            head["labels"] = count
            mean = dict(zip(IN_TIME, np.mean(values, axis=0), strict=True))
            means.append(head | mean)
            each += [
                {**head, "run": run, **dict(zip(IN_TIME, one, strict=True))}
                for run, one in enumerate(values)
            ]
    return means, each


def at_count(one, number, count, budget):
    """Return what a trial had at a number of labels, in the order of `IN_TIME`."""
    validation = entropy_then = np.nan
    if "values" in one:
        validation = float(np.sum(one["is_validation"][:count]))
        entropy_then = entropy(one["probabilities"], budget - count)
    return [*one["scores"][0][number], validation, entropy_then]


def entropy(probabilities, n_before_last):
    """Return the entropy some rounds before the last one, in nats; NaN if none."""
    if n_before_last >= len(probabilities):
        return np.nan
    return entr(probabilities[-1 - n_before_last]).sum()


def of_models(rows, results):
    """Return a row for each model, how probable ALMS takes it for in the end.

    The mean of the trials, and each trial.
    """
    means, each = [], []
    for row in rows:
        found = results[row["method"]]
        if "values" not in found[0]:
            continue
        head = {name: row[name] for name in ("problem", "penalty", "initial")}
        head |= {"budget": row["labels"], "method": row["method"]}
        for model, final in enumerate(
            zip(*(one["probabilities"][-1] for one in found), strict=True)
        ):
            one = {**head, "model": model}
            means.append({**one, "probability": np.mean(final)})
            each += [
                {**one, "run": run, "probability": p} for run, p in enumerate(final)
            ]
    return means, each


def of_single(rows, results, counts):
    """Return a row for each model alone: its areas, and how often its loss is least.

    The oracle's curves are those of all models, each without a choice.
    """
    out = []
    for row in rows:
        if row["method"] != "oracle":
            continue
        heights = curve_heights(results["oracle"], counts)
        best = heights[..., 1].argmin(axis=1)
        for model, (accuracy, loss) in enumerate(heights.mean(axis=0)):
            one = {name: row[name] for name in ("problem", *SETTING)}
            one |= {"model": model, "accuracy": accuracy, "log_loss": loss}
            out.append(one | {"least": np.mean(best == model)})
    return out
