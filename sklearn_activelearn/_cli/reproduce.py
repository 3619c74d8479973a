"""The command ``reproduce``: the experiments of a paper."""

import os
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from .options import UsageError, add_command, interrupted_with, require

ROOT = Path(__file__).parents[2]


class Paper(NamedTuple):
    """A paper and the experiments for its tables and figures.

    Attributes
    ----------
    title : str
        Authors and title.
    steps : tuple of str
        Experiments with their arguments, in this order. ``{out}`` is the folder of the
        results. If two steps write the same rows, the step with more runs comes later.
    """

    title: str
    steps: tuple


PAPERS = {
    "monteleoni2007": Paper(
        "Monteleoni, Kääriäinen: Practical Online Active Learning for Classification",
        (
            "ocr --results {out}",
            "ocr_curves --results {out}",
            "ocr_figures {out} --out {out}",
            "ocr_separability --results {out}",
            "simple_svm --rows 5000 --results {out}",
            "bounds --results {out}",
        ),
    ),
    "cavallanti2008": Paper(
        "Cavallanti, Cesa-Bianchi, Gentile: Linear Classification and Selective "
        "Sampling Under Low Noise Conditions",
        (
            "second_order --repeats 1 --topics 50 --results {out}",
            "second_order --repeats 3 --only figure-3 --results {out}",
            "second_order_figures {out} --out {out}",
            "low_noise --results {out}",
        ),
    ),
    "guillory2009": Paper(
        "Guillory, Chastain, Bilmes: Active Learning as Non-Convex Optimization",
        (
            "margin_loss --results {out}",
            "margin_loss --data usps-0vAll --learner ramp --curves 100 --results {out}",
            "margin_loss --starts --trials 50 --tuning-trials 20 --results {out}",
            "margin_loss --thresholds --trials 50 --tuning-trials 20 --results {out}",
            "margin_loss_errors --results {out}",
            "margin_loss_figures {out} --out {out}",
            "offline_margin_loss --trials 6 --labels 120 --results {out}",
            "outlier_line --results {out}",
        ),
    ),
    "wang2009": Paper(
        "Wang, Song, Zhang: Efficient Active Learning with Boosting",
        (
            "boosting --cache {out}/boosting --results {out}",
            "boosting --cache {out}/boosting --results {out} --splits 100 "
            "--problem twonorm --problem banana --problem german "
            "--problem flare-solar --method RBoost --method QBB --method COMB",
            "boosting --cache {out}/boosting --results {out} --splits 6 "
            "--problem 2v3 --problem 3v5 --problem 3v8 --problem 6v8 --problem 8v9 "
            "--problem 0v8 --method RBoost --method QBB --method COMB",
            "boosting --cache {out}/boosting --results {out} --alphas",
            "boosting --cache {out}/boosting --results {out} --criterion gini",
            "boosting --cache {out}/boosting --results {out} --few "
            "--method RBoost --method QBB --method COMB",
            "boosting_rounding --results {out}",
            "boosting_costs --results {out}",
            "boosting_figures {out} --out {out}",
            "label_propagation --results {out}",
            "readings --paper wang2009 --trials 20 --results {out}",
            "readings_figures {out} --out {out}",
        ),
    ),
    "ali2014": Paper(
        "Ali, Caruana, Kapoor: Active Learning with Model Selection",
        (
            "alms --cache {out}/alms --results {out} --labels 50 --trials 9 "
            "--problem heart --problem votes "
            "--method passive --method ALMS --method 'ALMS, all rows'",
            "alms --cache {out}/alms --results {out} --labels 50",
            "alms --cache {out}/alms --results {out} --labels 50 --initial 4 "
            "--trials 12",
            "alms --cache {out}/alms --results {out} --labels 50 --penalty sum "
            "--trials 15",
            "alms --cache {out}/alms --results {out} --penalty sum --trials 15 "
            "--method passive --method uncertainty --method QBC --method ALMS "
            "--method 'ALMS, left out' --method 'ALMS, CV' --method oracle",
            "alms --cache {out}/alms --results {out} --penalty sum --trials 14 "
            "--problem pima",
            "alms_figures {out} --out {out}",
            "readings --paper ali2014 --trials 3 --results {out}",
            "readings_again --results {out}",
            "readings_again --trials 6 --labels 100 --results {out}",
            "readings_figures {out} --out {out}",
        ),
    ),
}


def add_reproduce(commands):
    """Add the command to the parser."""
    papers = "\n".join(f"  {name:16}{paper.title}" for name, paper in PAPERS.items())
    parser = add_command(
        commands,
        "reproduce",
        start_reproduce,
        "PAPER [--quick] [--data FOLDER] [--out FOLDER]",
        "Run the tables and figures of a paper again. Measured figures are printed "
        "beside published ones, and pictures are written to a folder. This takes "
        "minutes to hours.",
        """
        sklearn-activelearn reproduce wang2009 --out results
        """,
    )
    parser.description += f"\n\npapers:\n{papers}"
    add = parser.add_argument
    add("paper", metavar="PAPER", choices=PAPERS, help=f"One of {', '.join(PAPERS)}.")
    add(
        "--quick",
        action="store_true",
        help="Use toy data and sizes, less than a minute. The figures mean nothing.",
    )
    add(
        "--data",
        metavar="FOLDER",
        type=Path,
        help="Read data sets from this folder, as .npz. Missing data sets are fetched "
        "with scikit-learn.",
    )
    add(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path(),
        help="Write results, as CSV, and pictures to this folder. The same command "
        "resumes from them. Default: the current folder.",
    )


def start_reproduce(args):
    """Run ``reproduce``: check everything, then run."""
    require("reproduce", "matplotlib")
    if args.data is not None:
        if not args.data.is_dir():
            raise UsageError(f"--data: there is no folder {args.data}")
        os.environ["SKLEARN_ACTIVELEARN_DATA"] = str(args.data.resolve())
    kept = f"finished runs are kept in {args.out}, and the same command resumes"
    try:
        with interrupted_with(kept):
            run_experiments(args.paper, args.out, args.quick)
    except (OSError, ImportError) as error:  # data neither there nor to be fetched
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"{args.paper}: {reason} (data sets are fetched unless --data has them)"
        ) from error


def run_experiments(paper, out, quick):
    """Run the experiments of a paper, and print which claims their results support.

    Toy results go to a folder of their own, where no real experiment finds them.
    """
    out = out / "quick" if quick else out
    out.mkdir(parents=True, exist_ok=True)
    for step in PAPERS[paper].steps:
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
