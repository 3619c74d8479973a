"""The papers whose tables can be run again, and how."""

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
        An experiment and its arguments each, in this order. ``{out}`` stands for the
        folder of the results.
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
            "simple_svm --rows 5000 --results {out}",
        ),
    ),
    "cavallanti2008": Paper(
        "Cavallanti, Cesa-Bianchi, Gentile: Linear Classification and Selective "
        "Sampling Under Low Noise Conditions",
        (
            "second_order --results {out}",
            "second_order_figures {out} --out {out}",
            "low_noise --results {out}",
        ),
    ),
    "guillory2009": Paper(
        "Guillory, Chastain, Bilmes: Active Learning as Non-Convex Optimization",
        (
            "margin_loss --results {out}",
            "margin_loss_figures {out} --out {out}",
            "offline_margin_loss --results {out}",
        ),
    ),
    "wang2009": Paper(
        "Wang, Song, Zhang: Efficient Active Learning with Boosting",
        (
            "boosting --cache {out}/boosting --results {out}",
            "boosting --cache {out}/boosting --results {out} --alphas",
            "boosting --cache {out}/boosting --results {out} --criterion gini",
            "boosting_costs --results {out}",
            "boosting_figures {out} --out {out}",
            "label_propagation --results {out}",
        ),
    ),
    "ali2014": Paper(
        "Ali, Caruana, Kapoor: Active Learning with Model Selection",
        (
            "alms --cache {out}/alms --results {out}",
            "alms --cache {out}/alms --results {out} --penalty sum",
            "alms_figures {out} --out {out}",
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
        name, *arguments = (word.format(out=out) for word in step.split())
        print(f"\n== {name} {' '.join(arguments)}".rstrip(), flush=True)
        experiment(name).main([*arguments, *["--quick"] * quick])
    print(f"\n== claims{' (of toy data: they mean nothing)' * quick}", flush=True)
    experiment("claims").main([str(out), "--paper", paper])
