"""Every reading of two papers: in what share a claim holds, and what decides.

A paper leaves things open. Each answer to all of them is a reading; all are crossed, on
the same trials, and each claim is checked under each. Where readings differ only in how
a run is scored, they share it. Every run is stored in a file of ``--results``, and is
not repeated. The errors of Wang et al. are read from the files that
`benchmarks.papers.boosting` wrote there, with and without ``--criterion gini``; only
readings that are not in them are run.

    python -m benchmarks.papers.readings [--paper ali2014] [--trials 5] [--labels 30]
        [--results DIR] [--quick]
"""

import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results, by, read, read_texts

from . import _readings_alms, alms, boosting
from . import _readings_boosting as endings
from ._readings import by_level, crossed, summary
from ._readings_alms import SETTINGS, readings_bought


def stored(args, argv, name, keys, tasks, seed, experiment="readings"):
    """Run what is not in a file of runs yet; return all that was asked for.

    Parameters
    ----------
    args : namespace
        Options; ``results`` is the folder.
    argv : list of str
        Arguments.
    name : str
        Of the file.
    keys : tuple of str
        The columns that tell runs apart.
    tasks : list of (dict, callable)
        For each run the values of these columns, and what runs it.
    seed : str
        The column with the seed.
    experiment : str
        The module that runs them.
    """
    known = {
        tuple(row[key] for key in keys)
        for row in read_texts(args.results / f"{name}.csv")
    }
    for number, (head, run) in enumerate(tasks):
        if tuple(map(str, head.values())) not in known:
            results_to = Results(args.results, experiment, argv, head[seed])
            found = json.dumps(run(), separators=(",", ":"))
            results_to.write(name, [{**head, "found": found}], key=keys, runs=1)
            print(
                f"{number + 1} of {len(tasks)}: {', '.join(map(str, head.values()))}",
                flush=True,
            )
    wanted = {tuple(map(str, head.values())) for head, _ in tasks}
    texts = read_texts(args.results / f"{name}.csv")
    return [
        row
        for row, text in zip(read(args.results, name), texts, strict=True)
        if tuple(text[key] for key in keys) in wanted
    ]


def ali2014(args, argv):
    """Return readings of model selection, and which claims and facts hold."""
    sets, settings = _readings_alms.SETS, crossed(SETTINGS)
    load = {name: alms.LOAD[name] for name in sets}
    if args.quick:
        load, settings = {"heart": alms.toy}, settings[:1]
    tasks = []
    for trial in range(alms.FIRST, alms.FIRST + args.trials):
        for problem in load:
            for setting in settings:
                head = {"problem": problem, **setting}
                head |= {"labels": args.labels, "trial": trial}

                def run(problem=problem, setting=setting, trial=trial):
                    size = trial, args.labels, readings_bought()
                    return _readings_alms.runs(load[problem](), setting, *size)

                tasks.append((head, run))
    keys = "problem", *SETTINGS, "labels", "trial"
    rows = stored(args, argv, "readings_ali2014_runs", keys, tasks, "trial")
    return _readings_alms.answers_of(rows)


def wang2009(args, argv):
    """Return readings of FASSL-Boost, and which claims hold."""
    if args.quick:
        *rows, shares = boosting.problem("twonorm", quick=True)
        known = {"twonorm": (*rows, shares[:4])}
    else:
        known = {name: boosting.problem(name) for name in with_errors(args.results)}
    tasks = []
    for split in range(args.trials):
        for name, rows in known.items():

            def run(rows=rows, split=split):
                DATA.add(*rows[:2])
                return endings.all_curves(*rows, split)

            tasks.append(({"data": name, "split": split}, run))
    rows = stored(
        args, argv, "readings_wang2009_runs", ("data", "split"), tasks, "split"
    )
    if args.quick:
        errors = toy_errors(known["twonorm"])
    else:
        errors = read(args.results, "boosting_errors")
    return *endings.answers_of(errors, rows), {}


def with_errors(folder):
    """Return the sets whose errors with both kinds of stumps are in a folder."""
    methods = by(read(folder, "boosting_errors"), "method")
    parts = [
        by(methods.get(name + end, []), "data")
        for name in endings.METHODS
        for end in endings.ENDS.values()
    ]
    return [name for name in boosting.BENCHMARKS if all(name in of for of in parts)]


def toy_errors(rows):
    """Return rows as in the file of errors, from one split."""
    names, found = endings.METHODS, []
    for criterion, end in endings.ENDS.items():
        methods = boosting.methods_with(criterion)
        curves = {
            name: np.array(boosting.curve(methods[name], *rows, 0))[:, None]
            for name in names
        }
        found += boosting.points("twonorm", curves, rows[-1], end)
    return found


PAPERS = {"ali2014": ali2014, "wang2009": wang2009}


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        paper=PAPERS,
        trials=at_least(1, 5),
        labels=at_least(15, 30),
        results=Path,
    )
    if args.quick:
        args.trials, args.labels = 1, 15
    papers, folder = args.paper or PAPERS, args.results
    can_run = args.quick or (folder and with_errors(folder))
    if "wang2009" in papers and not can_run:
        args.error(
            "boosting_errors.csv is not in --results, or lacks a kind of stumps: run "
            "benchmarks.papers.boosting first, with and without --criterion gini."
        )
    with tempfile.TemporaryDirectory() as nowhere:
        args.results = folder or Path(nowhere)
        for paper in papers:
            readings, claims, facts = PAPERS[paper](args, argv)
            answers = {"claim": claims, "printed fact": facts}
            write(args, argv, paper, readings, answers)


def write(args, argv, paper, readings, answers):
    """Store what share of the readings each claim and fact holds under."""
    first = alms.FIRST if paper == "ali2014" else 0
    seeds = f"{first} to {first + args.trials - 1}"
    results_to = Results(args.results, "readings", argv, seeds)
    runs = read_texts(args.results / f"readings_{paper}_runs.csv")
    DATA.use(checksum for row in runs for checksum in row["data_sha256"].split())
    for kind, of in answers.items():
        rows = summary(readings, of, list(answers["printed fact"].values()))
        for name, part, key in (
            ("", rows, ("claim",)),
            ("_levels", by_level(readings, of), ("claim", "factor", "level")),
        ):
            part = [{"kind": kind, **row} for row in part]
            results_to.write(f"readings_{paper}{name}", part, key=key, runs=args.trials)


if __name__ == "__main__":
    main()
