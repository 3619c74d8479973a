"""Every reading of two papers: in what share of them a claim holds.

A paper leaves things open. Each answer to all of them is a reading; all are crossed, on
the same trials, and each claim is checked under each. Where readings differ only in how
a run is scored, they share it. Every run is stored in a file of ``--results``, and is
not repeated. The errors of Wang et al. are read from the files that
`benchmarks.papers.boosting` wrote there, with and without ``--gini``; only readings
that are not in them are run.

Of thousands of readings of Ali et al. some win on a few trials by chance. With
``--again`` those in which ALMS was ahead of all three others on most sets are run again
on the trials that follow.

    python -m benchmarks.papers.readings --paper ali2014 [--trials 3] [--labels 30]
        [--again] [--results DIR] [--quick]
"""

import json
import tempfile
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results, as_text, by, grouped, read, read_texts

from . import _readings_ali2014 as ali2014
from . import _readings_wang2009 as wang2009
from . import alms, boosting

WON = "ALMS is ahead of all three on most sets"
SETTINGS = ali2014.SETTINGS


def crossed(factors):
    """Return all readings, each once: a dict from factor to level."""
    levels = product(*factors.values())
    return [dict(zip(factors, one, strict=True)) for one in levels]


def distinct(readings, factors):
    """Return the levels of some factors that readings have, each once."""
    parts = [{name: one[name] for name in factors} for one in readings]
    return [part for k, part in enumerate(parts) if part not in parts[:k]]


def summary(kind, readings, answers_of):
    """Yield for each claim in how many readings it holds, and what these share."""
    for claim, answers in answers_of.items():
        own = [one for one, holds in zip(readings, answers, strict=True) if holds]
        levels = {
            name: as_text(own[0][name])
            for name in readings[0]
            if own and len(distinct(readings, [name])) > 1 == len(distinct(own, [name]))
        }
        row = {"kind": kind, "claim": claim, "readings": len(readings)}
        row |= {"held": len(own), "share": len(own) / len(readings)}
        yield row | {"all_have": "; ".join(map(": ".join, levels.items()))}


def stored(args, argv, name, tasks):
    """Run what is not in a file of runs yet; return the rows of all tasks.

    A task is a dict of the columns that tell runs apart, the last one the seed, and a
    function.
    """
    for head, run in tasks:
        keys, own = [*head], tuple(map(as_text, head.values()))
        known = {tuple(r[k] for k in keys) for r in read_texts(args.results / name)}
        if own not in known:
            to = Results(args.results, "readings", argv, head[keys[-1]])
            found = json.dumps(run(), separators=(",", ":"))
            to.write(
                name.removesuffix(".csv"), [{**head, "found": found}], key=keys, runs=1
            )
    wanted = {tuple(map(as_text, head.values())) for head, _ in tasks}
    texts = read_texts(args.results / name)
    DATA.use(one for row in texts for one in row["data_sha256"].split())
    rows = read(args.results, name.removesuffix(".csv"))
    return [
        row
        for row, text in zip(rows, texts, strict=True)
        if tuple(text[key] for key in keys) in wanted
    ]


def of_ali2014(args, argv, settings, bought, trials, name, label=None):
    """Return the rows of the file of runs in some settings."""
    load, tasks = {name: alms.LOAD[name] for name in ali2014.SETS}, []
    if args.quick:
        load = {"heart": alms.toy}
    for trial, problem, setting in product(trials, load, settings):
        head = {"problem": problem, **setting, **({"readings": label} if label else {})}
        size = setting, trial, args.labels, bought
        run = partial(
            lambda load, size: ali2014.runs(load(), *size), load[problem], size
        )
        tasks.append((head | {"labels": args.labels, "trial": trial}, run))
    return stored(args, argv, name, tasks)


def judge(rows, readings, bought):
    """Yield what `answers` returns for each reading."""
    of_setting = {
        key: ali2014.found_by_set(of) for key, of in grouped(rows, SETTINGS).items()
    }
    for reading in readings:
        number = bought.index({name: reading[name] for name in ali2014.BOUGHT})
        found = of_setting[tuple(reading[name] for name in SETTINGS)]
        yield ali2014.answers(found, number, reading)


def table_of(dicts):
    """Return a dict of lists."""
    return {name: [bool(one[name]) for one in dicts] for name in dicts[0]}


def run_ali2014(args, argv):
    """Judge all readings; return them, the claims and the facts."""
    settings, bought = crossed(SETTINGS), crossed(ali2014.BOUGHT)
    settings = settings[:1] if args.quick else settings
    trials = range(alms.FIRST, alms.FIRST + args.trials)
    rows = of_ali2014(args, argv, settings, bought, trials, "readings_ali2014_runs.csv")
    run = {name: list(by(rows, name)) for name in SETTINGS}
    readings = crossed({**run, **ali2014.BOUGHT, **ali2014.SCORED})
    claims, facts = zip(*judge(rows, readings, bought), strict=True)
    return readings, {"claim": table_of(claims), "printed fact": table_of(facts)}


def run_wang2009(args, argv):
    """Judge all readings; return them and the claims."""
    bought, stumps = crossed(wang2009.BOUGHT), {"error": "", "gini": "_gini"}
    if args.quick:
        known = {"twonorm": boosting.problem("twonorm", quick=True)}
        names = (*wang2009.OTHERS, *wang2009.NAMES.values())
        methods = {name: boosting.METHODS[name] for name in names}
        found = {
            name: np.array(boosting.curve(one, *known["twonorm"], 0))[:, None]
            for name, one in methods.items()
        }
        rows = list(boosting.points("twonorm", found, known["twonorm"][-1]))
        errors = {"error": rows, "gini": rows}
    else:
        names = {stump: f"boosting{end}_errors" for stump, end in stumps.items()}
        errors = {stump: read(args.results, name) for stump, name in names.items()}
        known = {name: boosting.problem(name) for name in by(errors["gini"], "data")}
    tasks = [
        ({"data": name, "split": k}, partial(wang2009.all_curves, rows, k, bought))
        for k in range(args.trials)
        for name, rows in known.items()
    ]
    rows = stored(args, argv, "readings_wang2009_runs.csv", tasks)
    readings = crossed({**wang2009.BOUGHT, **wang2009.SCORED})
    of_runs = wang2009.Curves(errors, rows)
    claims = [wang2009.claims_of(of_runs, reading) for reading in readings]
    return readings, {"claim": table_of(claims)}


def run_again(args, argv):
    """Write how the readings that won do on other trials, also with more labels."""
    bought, n_known = crossed(ali2014.BOUGHT), 1
    won = crossed({**SETTINGS, **ali2014.BOUGHT, **ali2014.SCORED})
    if args.quick:
        won = won[:2]
    else:
        rows = read(args.results, "readings_ali2014_runs")
        rows = [row for row in rows if row["labels"] == 30]
        n_known = len(by(rows, "trial"))
        held = [claims[WON] for claims, _ in judge(rows, won, bought)]
        won = [one for one, holds in zip(won, held, strict=True) if holds]
    claims, first = {}, alms.FIRST + n_known
    trials = range(first, first + args.trials)
    for setting in crossed(SETTINGS):
        own = [one for one in won if one | setting == one]
        some = distinct(own, ali2014.BOUGHT)
        if own:
            label = "; ".join(" / ".join(one.values()) for one in some)
            file = "readings_ali2014_again_runs.csv"
            rows = of_ali2014(args, argv, [setting], some, trials, file, label)
            for of_claims, _ in judge(rows, own, some):
                for claim, holds in of_claims.items():
                    claims.setdefault(claim, []).append(bool(holds))
    data = DATA.checksums
    to = Results(args.results, "readings", argv, f"{first} to {trials[-1]}")
    DATA.use(data)
    rows = [
        {"claim": k, "labels": args.labels, "readings": len(v), "held": sum(v)}
        for k, v in claims.items()
    ]
    to.write("readings_ali2014_again", rows, key=("claim", "labels"), runs=args.trials)


PAPERS = {"ali2014": run_ali2014, "wang2009": run_wang2009}


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        {"trials": 2, "labels": 15},
        paper=PAPERS,
        trials=at_least(2, 3),
        labels=at_least(15, 30),
        again=False,
        results=Path,
    )
    with tempfile.TemporaryDirectory() as nowhere:
        args.results = args.results or Path(nowhere)
        if args.again:
            run_again(args, argv)
            return
        for paper in args.paper or PAPERS:
            readings, tables = PAPERS[paper](args, argv)
            first = alms.FIRST if paper == "ali2014" else 0
            seeds, data = f"{first} to {first + args.trials - 1}", DATA.checksums
            to = Results(args.results, "readings", argv, seeds)
            DATA.use(data)
            for kind, of in tables.items():
                rows = list(summary(kind, readings, of))
                to.write(f"readings_{paper}", rows, key=["claim"], runs=args.trials)


if __name__ == "__main__":
    main()
