"""Claims of Ali et al. (2014) under each reading, from the runs of `readings`."""

import json

import numpy as np
from scipy.stats import ttest_1samp

from benchmarks.results import by, grouped

from ._alms_rows import PUBLISHED
from ._claims_ali2014 import FAVOURED
from ._readings import crossed
from ._readings_alms import BOUGHT, SETTINGS, readings_bought
from ._readings_alms_scores import SCORED

BASELINES = {
    "passive": "passive + CV",
    "uncertainty": "uncertainty, λ = 1",
    "QBC": "QBC + CV",
}
#: Where lambda = 1 is among the penalties.
ONE = 10
#: How far from a published area one may be that is the same.
CLOSE = 0.1


def all_readings(rows):
    """Return the crossing of all factors, settings with the levels that were run."""
    run = {name: tuple(by(rows, name)) for name in SETTINGS}
    return crossed({**run, **BOUGHT, **SCORED})


class Runs:
    """What the trials of a setting found, as arrays.

    Parameters
    ----------
    rows : list of dict
        Of the file of runs, all of one setting.
    """

    def __init__(self, rows):
        self.found = {
            problem: [json.loads(row["found"]) for row in group]
            for problem, group in by(rows, "problem").items()
        }
        # trials, scores, choices
        self.areas = {
            problem: {
                name: np.array([one[name] for one in found]) for name in BASELINES
            }
            for problem, found in self.found.items()
        }

    def of_alms(self, problem, number, what):
        """Return a figure of a reading, by its number, in each trial."""
        return np.array([one["ALMS"][number][what] for one in self.found[problem]])

    def of_others(self, problem, score, choice):
        """Return the areas of the baselines and the oracle in each trial."""
        areas = self.areas[problem]
        single = areas["uncertainty"][:, :, score, 0]
        out = {name: areas[name][:, score, choice] for name in ("passive", "QBC")}
        out["uncertainty"] = single[:, ONE]
        out["oracle"] = single[:, single.mean(axis=0).argmax()]
        return out


def answers_of(rows):
    """Return all readings, and for each claim and printed fact whether it holds.

    Returns
    -------
    readings : list of dict
    claims, facts : dict of str: list of bool
    """
    readings = all_readings(rows)
    claims, facts = {}, {}
    for of, number, reading in runs_of(rows, readings, readings_bought()):
        for table, answers in (
            (claims, of_claims(gains_of(of, number, reading))),
            (facts, of_facts(of, number, reading)),
        ):
            for name, answer in answers.items():
                table.setdefault(name, []).append(bool(answer))
    return readings, claims, facts


def runs_of(rows, readings, bought):
    """Yield for each reading the runs of its setting, its number in them, and itself.

    Parameters
    ----------
    rows : list of dict
        Of the file of runs.
    readings : list of dict
        With all factors.
    bought : list of dict
        The readings that change what is bought, in the order of the runs.
    """
    runs = {setting: Runs(group) for setting, group in grouped(rows, SETTINGS).items()}
    numbers = {tuple(one.values()): k for k, one in enumerate(bought)}
    for reading in readings:
        of = runs[tuple(reading[name] for name in SETTINGS)]
        yield of, numbers[tuple(reading[name] for name in BOUGHT)], reading


def position(reading, factor):
    """Return which level of a factor of `SCORED` a reading has."""
    return SCORED[factor].index(reading[factor])


def gains_of(of, number, reading):
    """Return by how much ALMS is ahead of each other, for each set and trial.

    Returns
    -------
    gains : dict of str: list of ndarray
    """
    score, choice = (position(reading, name) for name in ("area of", "ALMS chooses by"))
    others_choose = 2 * position(reading, "others choose by") + position(
        reading, "ties"
    )
    gains = {name: [] for name in (*BASELINES, "oracle")}
    for problem in of.found:
        ours = of.of_alms(problem, number, "areas")[:, score, choice]
        for name, theirs in of.of_others(problem, score, others_choose).items():
            gains[name].append(ours - theirs)
    return gains


def of_claims(gains):
    """Return whether each claim of the paper holds."""
    wins = {
        name: np.array([gain.mean() > 0 for gain in gains[name]]) for name in BASELINES
    }
    out = {
        f"ALMS is ahead of {shown} on every set": wins[name].all()
        for name, shown in BASELINES.items()
    }
    of_all = np.all(list(wins.values()), axis=0)
    out["ALMS is ahead of all three on every set"] = of_all.all()
    out["ALMS is ahead of all three on most sets"] = of_all.mean() > 0.5
    out["ALMS is ahead of all three over all sets, p < .05 / 3"] = all(
        is_clear(np.concatenate(gains[name])) for name in BASELINES
    )
    beaten = sum(gain.mean() > 0 for gain in gains["oracle"])
    out["ALMS is ahead of the oracle on two sets or more"] = beaten >= 2
    return out


def is_clear(gain):
    """Whether a gain is above 0 in a paired t-test, with Bonferroni's correction."""
    if gain.mean() <= 0 or not np.ptp(gain):
        return False
    return ttest_1samp(gain, 0).pvalue < 0.05 / len(BASELINES)


def of_facts(of, number, reading):
    """Return whether each of the other figures that the paper prints is reproduced."""
    shares = {
        problem: of.of_alms(problem, number, "validation").mean()
        for problem in of.found
    }
    out = {
        "About a third of the labels validate (.25 to .42)": (
            0.25 < np.mean(list(shares.values())) < 0.42
        )
    }
    if "mushroom" in shares:
        out["The fewest labels validate on mushroom"] = (
            min(shares, key=shares.get) == "mushroom"
        )
    if "usps" in shares:
        first, last = of.of_alms("usps", number, "entropy").mean(axis=0)
        out["Entropy falls on USPS, by a hundredth or more"] = last < 0.99 * first
    thirds = {
        problem: 3 * np.median(of.of_alms(problem, number, "likeliest")) // 21
        for problem in of.found
    }
    hits = [FAVOURED[problem] == third for problem, third in thirds.items()]
    out["The likeliest λ is in the published third on every set"] = all(hits)
    out["The likeliest λ is in the published third on most sets"] = np.mean(hits) > 0.5
    score = position(reading, "area of")
    close = [
        abs(
            of.of_others(name, score, 0)["oracle"].mean() - PUBLISHED[name, "oracle"][0]
        )
        < CLOSE
        for name in of.found
    ]
    within = f"The oracle's areas are within {CLOSE:g} of the published on"
    out[f"{within} every set"] = all(close)
    out[f"{within} most sets"] = np.mean(close) > 0.5
    return out
