"""Ali, Caruana & Kapoor (2014), Figures 2 and 3, from what `papers.alms` found.

Figure 2: learning curves, the labels of each set over time, the final probabilities
of the models. Figure 3: entropy of the models' probabilities over time, in nats. Means
over the trials in the folder.

    python -m benchmarks.papers.alms_figures --cache DIR [--out DIR] [--quick]
"""

import argparse
import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy.special import entr

from .alms import EVERY, FIRST, LOAD, file_name, toy, trial

mpl.use("Agg")
from matplotlib import pyplot as plt

N_INITIAL = 10

SHOWN = {
    "passive": "0.6",
    "uncertainty": "C2",
    "QBC": "C1",
    "ALMS": "C0",
    "ALMS, expected": "C3",
}


def read(folder, problem, penalty, method):
    """Return what the trials of a method found."""
    name = file_name(problem, penalty, N_INITIAL, method, "[0-9]*")
    return [json.loads(file.read_text()) for file in sorted(folder.glob(name))]


def mean_of(rows):
    """Return the mean of rows that may differ in length, as far as all go."""
    shortest = min(map(len, rows))
    return np.mean([row[:shortest] for row in rows], axis=0)


def draw(axes, folder, problem, penalty):
    """Draw one row of Figure 2."""
    curves, shares, models = axes
    for method, color in SHOWN.items():
        found = read(folder, problem, penalty, method)
        if not found:
            continue
        scores = np.mean([one["scores"][""][0] for one in found], axis=0)
        counts = N_INITIAL + EVERY * np.arange(len(scores))
        label = f"{method} ({len(found)})"
        curves.plot(counts, scores[:, 0], color=color, label=label)
    curves.set(title=problem, xlabel="labels", ylabel="test accuracy")
    curves.legend(fontsize=7)
    found = read(folder, problem, penalty, "ALMS")
    validating = mean_of([np.cumsum(one["is_validation"]) for one in found])
    n = np.arange(1, len(validating) + 1)
    shares.plot(n, validating, label="validation")
    shares.plot(n, n - validating, label="training")
    shares.set(xlabel="labels", ylabel="labels of each set")
    shares.legend(fontsize=7)
    final = np.mean([one["probabilities"][-1] for one in found], axis=0)
    if len(final) == 25:
        models.imshow(final.reshape(5, 5).T, origin="lower", extent=(-2.5, 2.5) * 2)
        models.set(xlabel="log10 C", ylabel="log10 gamma")
    else:
        models.bar(np.linspace(-10, 10, len(final)), final)
        low, high = final.min(), final.max()
        edge = max(high - low, 1e-6)
        models.set(xlabel="log2 lambda", ylim=(low - edge, high + edge))
    models.set(title="final probabilities of the models")


def save(figure, file):
    figure.savefig(file, dpi=100)
    print(f"wrote {file}")


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", metavar="DIR", type=Path)
    parser.add_argument("--penalty", choices=("sum", "mean"), default="mean")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path())
    parser.add_argument("--quick", action="store_true", help="bundled digits, seconds")
    args = parser.parse_args(argv)
    if args.quick:
        args.cache = args.out / "trials"
        args.cache.mkdir(parents=True, exist_ok=True)
        counts = list(range(N_INITIAL, 16, EVERY))
        for method in ("uncertainty", "ALMS"):
            trial("heart", args.penalty, method, FIRST, counts, args.cache, toy())
    problems = [name for name in LOAD if read(args.cache, name, args.penalty, "ALMS")]
    print(__doc__.splitlines()[0])
    figure, axes = plt.subplots(
        len(problems),
        3,
        figsize=(11, 2.9 * len(problems)),
        layout="constrained",
        squeeze=False,
    )
    for row, problem in zip(axes, problems, strict=True):
        draw(row, args.cache, problem, args.penalty)
    save(figure, args.out / f"alms_figure_2_{args.penalty}.png")
    figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
    for problem in problems:
        for method, line in (("ALMS", "-"), ("ALMS, expected", "--")):
            found = read(args.cache, problem, args.penalty, method)
            if not found:
                continue
            rows = [entr(one["probabilities"]).sum(axis=1) for one in found]
            entropy = mean_of([row[::-1] for row in rows])[::-1]
            first = N_INITIAL + max(map(len, rows)) - len(entropy)
            n = first + np.arange(len(entropy))
            axis.plot(n, entropy, line, label=f"{problem}, {method}")
            most = np.log(len(found[0]["probabilities"][0]))
            print(
                f"{problem:11} {method:15} entropy {entropy[0]:.4f} -> "
                f"{entropy[-1]:.4f} of {most:.4f}, {len(found)} trials"
            )
    axis.set(xlabel="labels", ylabel="entropy of the models' probabilities")
    axis.legend(fontsize=7)
    save(figure, args.out / f"alms_figure_3_{args.penalty}.png")


if __name__ == "__main__":
    main()
