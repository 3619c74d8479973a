"""Guillory, Chastain & Bilmes (2009): error against labels, and final errors.

Draws the paper's Figure 6 (mean test error against labels bought, as far as
every run went) and Figure 7 (histogram of the final test errors of the ramp)
from the files that `benchmarks.papers.margin_loss --json FILE` wrote.

    python -m benchmarks.papers.margin_loss_figures FILE [FILE ...] [--out DIR]
"""

import argparse
import json
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np

from . import margin_loss

mpl.use("Agg")
from matplotlib import pyplot as plt

STYLE = {
    "hinge": ("0.4", "-"), "greedy": ("0.4", "--"), "ramp": ("C0", "-"),
    "R+H": ("C0", "--"), "log": ("C2", "-"), "root": ("C1", "-"),
    "sigmoid": ("C3", "-"), "S+H": ("C3", "--"),
}  # fmt: skip


def mean_curve(result):
    """Return label counts that every run reached, and the mean error there."""
    shortest = min(map(len, result["curves"]))
    errors = np.mean([errors[:shortest] for errors in result["curves"]], axis=0)
    return result["every"] * np.arange(1, shortest + 1), errors


def figure_6(results, out):
    names = list(dict.fromkeys(r["data"] for r in results))
    figure, axes = plt.subplots(
        1, len(names), figsize=(3.4 * len(names), 3.6), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for axis, name in zip(axes[0], names, strict=True):
        shown = [r for r in results if r["data"] == name and r["learner"] in STYLE]
        for r in shown:
            labels, errors = mean_curve(r)
            color, line = STYLE[r["learner"]]
            axis.plot(labels, errors, line, color=color, label=r["learner"], lw=1)
        target = shown[0]["target"]
        axis.axhline(target, color="k", ls=":", lw=0.8)
        top = np.median([r["curves"][0][0] for r in shown if r["curves"][0]])
        axis.set(title=name, xlabel="labels", xscale="log", ylim=(0.5 * target, top))
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("test error (dotted: target)")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center",
                  ncols=len(STYLE))  # fmt: skip
    figure.savefig(out, dpi=110)
    print(f"wrote {out}")


def figure_7(results, out):
    shown = [r for r in results if r["learner"] == "ramp"]
    figure, axes = plt.subplots(
        1, len(shown), figsize=(3.4 * len(shown), 3), layout="constrained",
        squeeze=False,
    )  # fmt: skip
    for axis, r in zip(axes[0], shown, strict=True):
        axis.hist(r["final_errors"], bins=30)
        axis.set(title=f"{r['data']}, eta0 {r['eta0']:g}", xlabel="final test error")
        print(f"{r['data']}: ramp's final errors {np.sort(r['final_errors']).round(3)}")
    axes[0, 0].set_ylabel("runs")
    figure.savefig(out, dpi=110)
    print(f"wrote {out}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path())
    parser.add_argument("--quick", action="store_true", help="bundled digits, seconds")
    args = parser.parse_args(argv)
    if args.quick:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "results.json")
            margin_loss.main(["--quick", "--json", str(file)])
            results = json.loads(file.read_text())
    else:
        results = [r for file in args.files for r in json.loads(file.read_text())]
    args.out.mkdir(parents=True, exist_ok=True)
    figure_6(results, args.out / "margin_loss_figure_6.png")
    figure_7(results, args.out / "margin_loss_figure_7.png")


if __name__ == "__main__":
    main()
