"""Claims on model selection; see `claims`."""

from functools import partial

import numpy as np

from ._alms_rows import FIGURE_SETTING, POOLED, SETTING, in_words, rank
from ._claims_common import count, tables
from ._results import by


def settings(rows, names):
    """Return the rows for each setting, the primary one first.

    Without PIMA, which is no reproduction, and all problems taken together.
    """
    of = {}
    for row in rows:
        if row["problem"] not in ("pima", POOLED):
            of.setdefault(tuple(row[name] for name in names), []).append(row)
    return dict(sorted(of.items(), key=lambda item: rank(item[0])))


def judged(judge, names=SETTING):
    """Return a check that judges the primary setting and shows the others in brackets.

    The primary one is the first that has a case of the claim.
    """

    def check(rows):
        found = [
            (setting, *judge(group)) for setting, group in settings(rows, names).items()
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


def third_validates(rows):
    """Answer whether .25 to .42 of the labels validate, on average."""
    shares = list(of_alms(rows, "validation_share").values())
    share = np.mean(shares) if shares else np.nan
    return [0.25 < share < 0.42] * bool(shares), f"{share:.2f}", "about a third"


def fewest_validate_on_mushroom(rows):
    """Answer whether mushroom has the least share of validation."""
    shares = of_alms(rows, "validation_share")
    least = min(shares, key=shares.get, default="")
    return [least == "mushroom"] * bool(shares), f"{least} {shares.get(least, 0):.2f}"


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


CLAIMS = [
    (
        "ALMS beats passive + CV, uncertainty and QBC in accuracy (Table 1)",
        "alms_table_1",
        judged(partial(alms_beats_others, score="accuracy")),
    ),
    (
        "The same in log loss, which the paper does not report",
        "alms_table_1",
        judged(lambda rows: alms_beats_others(rows, "log_loss", sign=-1)[:2]),
    ),
    ("ALMS outperforms the oracle on two sets", "alms_table_1", judged(beats_oracle)),
    (
        "On average about a third of the labels validate (Figure 2)",
        "alms_table_1",
        judged(third_validates),
    ),
    (
        "On mushroom the fewest labels validate (Figure 2)",
        "alms_table_1",
        judged(fewest_validate_on_mushroom),
    ),
    (
        "The entropy of the models falls as labels come in, on USPS (Figure 3)",
        "alms_figure_2",
        judged(entropy_falls, FIGURE_SETTING),
    ),
    (
        "The likeliest λ (log₂): large on heart and ionosphere, medium on USPS and "
        "votes, small on mushroom (Figure 2)",
        "alms_figure_2_models",
        judged(favoured, FIGURE_SETTING),
    ),
]
