"""The papers whose tables can be run again, and how."""

import shlex
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Paper:
    """A paper, and the experiments that are its tables and figures.

    Parameters
    ----------
    title : str
        Authors, title and year on one line.
    steps : tuple of str
        An experiment and its arguments each, in this order: the commands of the
        paper's page. ``{out}`` stands for the folder of the results. Of two steps that
        write the same rows, the one with more runs comes later.
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


def experiment(name):
    """Import an experiment: of the tree that this is in, or of an installation."""
    tree = find_spec("benchmarks")
    is_here = tree and tree.origin == str(ROOT / "benchmarks" / "__init__.py")
    folder = "benchmarks.papers" if is_here else "sklearn_activelearn._papers"
    return import_module(f"{folder}.{name}")


def reproduce(paper, out, quick):
    """Run the experiments of a paper, then say which of its claims their results hold.

    Parameters
    ----------
    paper : str
        A name in `PAPERS`.
    out : Path
        A folder for results and pictures, made if need be.
    quick : bool
        Toy data and sizes: every step runs, no figure means anything. Its results go
        to a folder of their own, where no real experiment will find them.
    """
    out = out / "quick" if quick else out
    out.mkdir(parents=True, exist_ok=True)
    for step in PAPERS[paper].steps:
        name, *arguments = (word.format(out=out) for word in shlex.split(step))
        print(f"\n== {shlex.join([name, *arguments])}", flush=True)
        experiment(name).main([*arguments, *["--quick"] * quick])
    print(f"\n== claims{' (of toy data: they mean nothing)' * quick}", flush=True)
    experiment("claims").main([str(out), "--paper", paper])
