"""Processor seconds of the experiments of each paper, by a part of each.

Each step of ``steps.csv`` is measured on a part: the command runs with the options in
the column ``part`` instead of the same options, in one process and without stored runs.
The whole step takes about as many times longer as the column ``parts`` says. Steps that
draw figures take seconds and are left out.

    python -m benchmarks.papers.step_times [--paper NAME] [--experiment NAME]
        [--results DIR] [--quick]
"""

import shlex
import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from time import process_time

from joblib import parallel_config

from benchmarks.options import parse
from benchmarks.results import Results

from ._steps import ROWS

#: Files that an experiment reads from the folder that it writes to.
READ = {
    "ocr_curves": "ocr.csv",
    "readings": "boosting_errors.csv",
    "readings_again": "readings_ali2014_runs.csv.gz",
}


def processor_seconds(experiment, arguments, known):
    """Return the time of an experiment that finds only the files that it needs."""
    main = import_module(f"{__package__}.{experiment}").main
    with tempfile.TemporaryDirectory() as out:
        file = READ.get(experiment)
        if known and file and (known / file).exists():
            shutil.copy(known / file, out)
        argv = [word.format(out=out) for word in arguments]
        started = process_time()
        with parallel_config(backend="sequential"):
            main(argv)
        return process_time() - started


def shortened(words, part):
    """Return arguments with the options of a part in place of the same options."""
    words, changed = iter(words), {word for word in part if word.startswith("--")}
    return [w for w in words if w not in changed or next(words) is None] + part


def main(argv=None):
    quick = {"experiment": ["outlier_line"]}
    args = parse(__doc__, argv, quick, paper=ROWS, experiment=[str], results=Path)
    for paper in args.paper or ROWS:
        for step in ROWS[paper]:
            experiment, *arguments = shlex.split(step["command"])
            asked = not args.experiment or experiment in args.experiment
            if not asked or experiment.endswith("_figures"):
                continue
            results = Results(args.results, "step_times", argv, 0)
            part = shlex.split(step["part"])
            arguments = [*shortened(arguments, part), *["--quick"] * args.quick]
            seconds = processor_seconds(experiment, arguments, args.results)
            row = {"paper": paper, "step": step["command"], "part": step["part"]}
            row |= {"parts": float(step["parts"]), "seconds": seconds}
            results.write("step_times", [row], key=("paper", "step"), runs=1)


if __name__ == "__main__":
    main()
