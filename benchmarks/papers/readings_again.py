"""Readings of Ali et al. in which ALMS won, on trials that did not choose them.

Of thousands of readings some win on a few trials by chance. Those in which ALMS was
ahead of all three others on most sets, by the trials that `benchmarks.papers.readings`
stored in ``--results``, are run again on the trials that follow, with as many labels
and with more.

    python -m benchmarks.papers.readings_again --results DIR [--trials 30]
        [--labels 30] [--quick]
"""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results, by, read, read_texts

from . import alms
from ._readings import crossed
from ._readings_alms import (
    BOUGHT,
    SCORED,
    SETS,
    SETTINGS,
    answers_of,
    gains_of,
    of_claims,
    runs,
    runs_of,
)
from .readings import stored

WON = "ALMS is ahead of all three on most sets"
RUNS = "readings_ali2014_again_runs"


def winners(rows):
    """Return the readings that won with the fewest labels, and of how many trials."""
    fewest = by(rows, "labels")
    rows = fewest[min(fewest)]
    readings, claims, _ = answers_of(rows)
    won = [one for one, held in zip(readings, claims[WON], strict=True) if held]
    # a file has 2.0 where a reading has 2
    settings = [
        {name: levels[levels.index(one[name])] for name, levels in SETTINGS.items()}
        for one in won
    ]
    won = [{**one, **setting} for one, setting in zip(won, settings, strict=True)]
    return won, len(by(rows, "trial"))


def part_of(reading, factors):
    """Return the levels of some factors of a reading."""
    return {name: reading[name] for name in factors}


def distinct(readings, factors):
    """Return the levels of some factors that readings have, each once."""
    parts = [part_of(reading, factors) for reading in readings]
    return [part for k, part in enumerate(parts) if part not in parts[:k]]


def again(won, load, first, args, argv):
    """Run readings on trials from a number on; yield runs, number and reading of each.

    Only what changes the purchases is run: readings that differ in scoring share it.
    """
    for setting in distinct(won, SETTINGS):
        own = [one for one in won if part_of(one, SETTINGS) == setting]
        bought, tasks = distinct(own, BOUGHT), []
        name = "; ".join(" / ".join(one.values()) for one in bought)
        for trial in range(first, first + args.trials):
            for problem in load:
                head = {"problem": problem, **setting, "readings": name}
                head |= {"labels": args.labels, "trial": trial}

                def run(rows=load[problem], size=(setting, trial, args.labels, bought)):
                    return runs(rows(), *size)

                tasks.append((head, run))
        keys = "problem", *SETTINGS, "readings", "labels", "trial"
        rows = stored(args, argv, RUNS, keys, tasks, "trial", "readings_again")
        yield from runs_of(rows, own, bought)


def summaries(found, labels):
    """Return in how many readings each claim holds, and the gains on each set.

    A gain is a mean over trials; the mean over readings is shown with its standard
    error over trials, beside the least and the most of a reading.
    """
    held, gains = {}, {}
    for of, number, reading in found:
        of_reading = gains_of(of, number, reading)
        for claim, answer in of_claims(of_reading).items():
            held.setdefault(claim, []).append(bool(answer))
        for name, of_problems in of_reading.items():
            for problem, gain in zip(of.found, of_problems, strict=True):
                gains.setdefault((problem, name), []).append(gain)
    claims = [
        {
            "claim": claim,
            "labels": labels,
            "readings": len(answers),
            "held": sum(answers),
        }
        for claim, answers in held.items()
    ]
    rows = []
    for (problem, name), of_readings in gains.items():
        of_trials, of_each = (np.mean(of_readings, axis=axis) for axis in (0, 1))
        error = of_trials.std(ddof=1) / np.sqrt(len(of_trials))
        row = {"problem": problem, "against": name, "labels": labels}
        row |= {"gain": of_trials.mean(), "standard_error": error}
        rows.append({**row, "least": of_each.min(), "most": of_each.max()})
    return claims, rows


def main(argv=None):
    args = parse(
        __doc__, argv, trials=at_least(2, 30), labels=at_least(15, 30), results=Path
    )
    folder = args.results
    if not args.quick and not (folder and read(folder, "readings_ali2014_runs")):
        args.error(
            "readings_ali2014_runs.csv is not in --results: run "
            "benchmarks.papers.readings --paper ali2014 first."
        )
    with tempfile.TemporaryDirectory() as nowhere:
        args.results = folder or Path(nowhere)
        if args.quick:
            args.trials, args.labels = 2, 15
            load = {"heart": alms.toy}
            won, n_known = crossed({**SETTINGS, **BOUGHT, **SCORED})[:2], 1
        else:
            load = {name: alms.LOAD[name] for name in SETS}
            won, n_known = winners(read(args.results, "readings_ali2014_runs"))
        first = alms.FIRST + n_known
        seeds = f"{first} to {first + args.trials - 1}"
        found = again(won, load, first, args, argv)
        report(args, argv, seeds, *summaries(found, args.labels))


def report(args, argv, seeds, claims, gains):
    """Print and store in how many readings each claim holds, and the gains."""
    results_to = Results(args.results, "readings_again", argv, seeds)
    files = (
        ("readings_ali2014_again", claims, ("claim", "labels")),
        ("readings_ali2014_again_gains", gains, ("problem", "against", "labels")),
    )
    texts = read_texts(args.results / f"{RUNS}.csv")
    for name, rows, key in files:
        DATA.use(checksum for row in texts for checksum in row["data_sha256"].split())
        results_to.write(name, rows, key=key, runs=args.trials)


if __name__ == "__main__":
    main()
