"""Cavallanti, Cesa-Bianchi & Gentile (2008): F-measure against labels, and topics.

Draws the paper's Figures 2 and 3 from the file that
`benchmarks.papers.second_order --json FILE` wrote.

    python -m benchmarks.papers.second_order_figures FILE [--out DIR]
"""

import argparse
import json
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np

from . import second_order

mpl.use("Agg")
from matplotlib import pyplot as plt

#: Left and right plot of Figure 2, in the paper's choice.
PLOTS = (("SSMD", "SSNL", "SS"), ("SSMD", "DKMperc", "SOLE", "SOP", "PERC", "SS"))


def figure_2(results, out):
    curves = {r["algorithm"]: r for r in results if "algorithm" in r}
    figure, axes = plt.subplots(
        2, 2, figsize=(9, 7), layout="constrained", sharex=True, sharey="row"
    )
    for row, key in enumerate(("frequent", "all")):
        for axis, names in zip(axes[row], PLOTS, strict=True):
            for name in names:
                F, bought, _ = np.array(curves[name][key]).T
                order = np.argsort(bought)
                color = f"C{list(curves).index(name)}"
                axis.plot(bought[order], F[order], ".-", color=color, label=name, lw=1)
            axis.set(xlim=(0, 0.1))
            axis.grid(alpha=0.3)
            axis.legend()
        axes[row, 0].set_ylabel(f"F-measure, {key}")
    for axis in axes[1]:
        axis.set_xlabel("labels bought, share")
    figure.savefig(out, dpi=110)
    print(f"wrote {out}")


def figure_3(results, out):
    (r,) = (r for r in results if r.get("figure") == 3)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    stored, svm = np.array(r["stored"]), np.array(r["svm"])
    axes[0].plot(stored / stored.max(), label="stored rows, of the most")
    axes[0].plot(svm / svm.max(), label="norm of the SVM's weights, of the largest")
    for name in ("F", "positive", "bought"):
        axes[1].plot(r[name], label=name)
    for axis in axes:
        axis.set(xlabel="topics, by frequency")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.savefig(out, dpi=110)
    print(f"wrote {out}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path())
    parser.add_argument("--quick", action="store_true", help="synthetic, seconds")
    args = parser.parse_args(argv)
    if args.quick:
        with tempfile.TemporaryDirectory() as folder:
            args.file = Path(folder, "results.json")
            second_order.main(["--quick", "--json", str(args.file)])
            results = json.loads(args.file.read_text())
    else:
        results = json.loads(args.file.read_text())
    args.out.mkdir(parents=True, exist_ok=True)
    figure_2(results, args.out / "second_order_figure_2.png")
    figure_3(results, args.out / "second_order_figure_3.png")


if __name__ == "__main__":
    main()
