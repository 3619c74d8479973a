"""Claims on model selection; see `claims`."""

import numpy as np

from benchmarks.results import by

from ._alms_rows import FIGURE_SETTING, POOLED, SETTING, in_words, rank
from ._claims_common import count, tables


def settings(rows, names):
    """Return the rows for each setting, the primary one first.

    Without PIMA, which is no reproduction, and all problems taken together.
    """
    of = {}
    for row in rows:
        if row["problem"] not in ("pima", POOLED):
            of.setdefault(tuple(row[name] for name in names), []).append(row)
    return dict(sorted(of.items(), key=lambda item: rank(item[0])))


def judged(judge):
    """Return a check that judges the primary setting and shows the others in brackets.

    The primary one is the first that has a case of the claim.
    """

    def check(rows, **options):
        names = FIGURE_SETTING if "budget" in rows[0] else SETTING
        found = [
            (setting, *judge(group, **options))
            for setting, group in settings(rows, names).items()
        ]
        found = [one for one in found if one[1]]
        if not found:
            return ([],)
        (_, answers, ours, *published), *others = found
        beside = "; ".join(
            f"{in_words(setting)}: {of}" for setting, _, of, *_ in others
        )
        return answers, f"{ours} ({beside})" if beside else ours, *published

    return check


@judged
def alms_beats_others(rows, score, sign=1):
    """Answer for each problem and baseline whether ALMS is better, p below 5 %."""
    ours, published = [], []
    for of in tables(rows, "problem", "method").values():
        if "ALMS" not in of:
            continue
        for name in {"passive", "uncertainty", "QBC"} & of.keys():
            gain, printed = (
                of["ALMS"][figure] - of[name][figure] for figure in (score, "published")
            )
            p = float(str(of[name][f"{score}_p"]).lstrip("<"))
            ours.append(sign * gain > 0 and p < 0.05)
            if np.isfinite(printed):
                published.append(printed > 0)
    return ours, count(ours, "comparisons"), count(published, "comparisons")


@judged
def larger_than_qbc(rows):
    """Answer whether the areas of ALMS are a seventh larger than QBC's, on average."""
    ours, published = (
        np.mean(
            [
                of["ALMS"][figure] / of["QBC"][figure] - 1
                for of in tables(rows, "problem", "method").values()
                if {"ALMS", "QBC"} <= of.keys()
            ]
            or np.nan
        )
        for figure in ("accuracy", "published")
    )
    if np.isnan(ours):
        return [], ""
    shown = f"{ours:+.1%} in the area under the accuracy"
    return [ours > 1 / 7], shown, f"almost +20 % (sets one by one: {published:+.0%})"


@judged
def ahead_from_20(rows):
    """Answer for each set whether ALMS is ahead at each number of labels from 20 on."""
    shares = []
    for of_set in by(rows, "problem").values():
        of = tables(of_set, "method", "labels")
        if {"ALMS", "passive", "uncertainty", "QBC"} <= of.keys():
            others = (of[name] for name in ("passive", "uncertainty", "QBC"))
            best = np.max([accuracies(other) for other in others], axis=0)
            ahead = np.greater(accuracies(of["ALMS"]), best)
            shares.append(np.mean(ahead) if len(ahead) else np.nan)
    shares = [share for share in shares if np.isfinite(share)]
    shown = f"at {np.mean(shares):.0%} of the numbers of labels" if shares else ""
    return [share == 1 for share in shares], shown, "6 of 6 sets"


def accuracies(curve):
    """Return the accuracies at 20 labels and more."""
    return [row["accuracy"] for labels, row in curve.items() if labels >= 20]


def oracles_model(likeliest, single):
    """Answer for four of six sets, or their share, whether the two models are near.

    Near is a factor of four in the penalty. The oracle's model has the best area.
    """
    for setting, rows in settings(likeliest, FIGURE_SETTING).items():
        alone = tables(settings(single, SETTING).get(setting, []), "problem", "model")
        shown = {}
        known = [row for row in rows if row["method"] == "ALMS"]
        for problem, models in by(known, "problem").items():
            if problem in alone:
                ours = max(models, key=lambda row: row["probability"])["model"]
                of = alone[problem]
                best = max(of, key=lambda model: of[model]["accuracy"])
                shown[problem] = (ours - len(models) // 2, best - len(models) // 2)
        if shown:
            near = [abs(ours - best) <= 2 for ours, best in shown.values()]
            pairs = (f"{name} {a:+.0f} and {b:+.0f}" for name, (a, b) in shown.items())
            figures = f"{count(near, 'sets')}; log₂ λ: {', '.join(pairs)}"
            return [sum(near) >= len(near) * 4 / 6], figures, "4 of 6 sets"
    return ([],)


@judged
def beats_oracle(rows):
    """Answer whether ALMS beats the oracle on two sets."""
    beaten = [
        of["ALMS"]["accuracy"] > of["oracle"]["accuracy"]
        for of in tables(rows, "problem", "method").values()
        if {"ALMS", "oracle"} <= of.keys()
    ]
    return [sum(beaten) >= 2] * bool(beaten), count(beaten, "sets"), "2 of 6 sets"


def of_alms(rows, figure):
    """Return a figure of ALMS for each problem."""
    return {row["problem"]: row[figure] for row in rows if row["method"] == "ALMS"}


@judged
def third_validates(rows):
    """Answer whether .25 to .42 of the labels validate, on average."""
    shares = list(of_alms(rows, "validation_share").values())
    share = np.mean(shares) if shares else np.nan
    return [0.25 < share < 0.42] * bool(shares), f"{share:.2f}", "about a third"


@judged
def fewest_validate_on_mushroom(rows):
    """Answer whether mushroom has the least share of validation."""
    shares = of_alms(rows, "validation_share")
    least = min(shares, key=shares.get, default="")
    return [least == "mushroom"] * bool(shares), f"{least} {shares.get(least, 0):.2f}"


@judged
def entropy_falls(rows):
    """Answer whether entropy on USPS falls by a hundredth."""
    entropies = [
        row["entropy"]
        for row in sorted(rows, key=lambda row: row["labels"])
        if row["method"] == "ALMS"
        and row["problem"] == "usps"
        and np.isfinite(row["entropy"])
    ]
    if not entropies:
        return [], ""
    first, last = entropies[0], entropies[-1]
    return [last < 0.99 * first], f"{first:.4f} to {last:.4f}"


#: Thirds of the models, from little penalty to much, that are the likeliest on a set.
FAVOURED = {"mushroom": 0, "usps": 1, "votes": 1, "heart": 2, "ionosphere": 2}


@judged
def favoured(rows):
    """Answer for each set whether the likeliest model is in its third."""
    answers, shown = [], []
    known = [row for row in rows if row["method"] == "ALMS"]
    for problem, models in by(known, "problem").items():
        if problem in FAVOURED:
            likeliest = max(models, key=lambda row: row["probability"])["model"]
            answers.append(3 * likeliest // len(models) == FAVOURED[problem])
            shown.append(f"{problem} {likeliest - len(models) // 2:+.0f}")
    return answers, ", ".join(shown)
