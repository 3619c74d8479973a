"""The command ``reproduce``: the experiments of a paper."""

import os
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from .options import (
    UsageError,
    add_command,
    add_options,
    interrupted_with,
    require,
)

ROOT = Path(__file__).parents[2]

PAPERS = {
    "monteleoni2007": "Monteleoni, Kääriäinen: Practical Online Active Learning",
    "cavallanti2008": "Cavallanti, Cesa-Bianchi, Gentile: Selective Sampling",
    "guillory2009": "Guillory, Chastain, Bilmes: Non-Convex Optimization",
    "wang2009": "Wang, Song, Zhang: Efficient Active Learning with Boosting",
    "ali2014": "Ali, Caruana, Kapoor: Active Learning with Model Selection",
}

OPTIONS = f"""
PAPER
    One of {", ".join(PAPERS)}.
--figure N
    Run only what this figure needs, such as 4; table-2 is Table 2. Default: all.
--quick
    Use toy data and sizes, less than a minute. The figures mean nothing.
--data FOLDER
    Read data sets from this folder, as .npz. Missing data sets are fetched with
    scikit-learn.
--out FOLDER
    Write results, as CSV, and pictures to this folder. The same command resumes from
    them. Default: the current folder.
"""


def add_reproduce(commands):
    """Add the command to the parser."""
    parser = add_command(
        commands,
        start_reproduce,
        "reproduce PAPER [--figure N] [--quick] [--data FOLDER] [--out FOLDER]",
        "Run the tables and figures of a paper again. Measured figures are printed "
        "beside published ones, and pictures are written to a folder. This takes "
        "minutes to hours.",
        "sklearn-activelearn reproduce wang2009 --out results",
    )
    papers = "\n".join(f"  {name:16}{title}" for name, title in PAPERS.items())
    parser.description += f"\n\npapers:\n{papers}"
    paper, out = {"choices": PAPERS}, {"default": Path()}
    add_options(parser, "arguments", OPTIONS, PAPER=paper, out=out)


def start_reproduce(args):
    """Run ``reproduce``: check everything, then run."""
    require("reproduce", "matplotlib")
    known = import_experiment("_steps").figures_of(args.PAPER)
    if args.figure not in (None, *known):
        raise UsageError(
            f"--figure: {args.PAPER} has {', '.join(known)}, got {args.figure}"
        )
    if args.data is not None:
        if not args.data.is_dir():
            raise UsageError(f"--data: there is no folder {args.data}")
        os.environ["SKLEARN_ACTIVELEARN_DATA"] = str(args.data.resolve())
    kept = f"finished runs are kept in {args.out}, and the same command resumes"
    try:
        with interrupted_with(kept):
            run_experiments(args.PAPER, args.out, args.quick, args.figure)
    except (OSError, ImportError) as error:  # data neither there nor to be fetched
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"{args.PAPER}: {reason} (data sets are fetched unless --data has them)"
        ) from error


def run_experiments(paper, out, quick, figure=None):
    """Run the experiments of a paper, or a figure, and print which claims hold.

    Toy results go to a folder of their own, where no real experiment finds them.
    """
    out = out / "quick" if quick else out
    out.mkdir(parents=True, exist_ok=True)
    for step in import_experiment("_steps").steps_of(paper, figure):
        name, *arguments = (word.format(out=out) for word in shlex.split(step))
        print(f"\n== {shlex.join([name, *arguments])}", flush=True)
        import_experiment(name).main([*arguments, *["--quick"] * quick])
    print(f"\n== claims{' (of toy data: they mean nothing)' * quick}", flush=True)
    import_experiment("claims").main([str(out), "--paper", paper])


def import_experiment(name):
    """Import an experiment from this source tree, or from an installation."""
    tree = find_spec("benchmarks")
    is_here = tree and tree.origin == str(ROOT / "benchmarks" / "__init__.py")
    folder = "benchmarks.papers" if is_here else "sklearn_activelearn._papers"
    return import_module(f"{folder}.{name}")
