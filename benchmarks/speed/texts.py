"""The numbers of texts: seconds to make them, and seconds of a batch of ten.

Texts are words in random order, with the frequencies of a language (Zipf's law): as
long as news or as short requests. Words alone are compared with the default numbers, in
one run on one thread. Of a batch, printed are the median seconds to choose ten texts
and to learn their labels, from the third batch to the ninth. All but a toy run are
written to docs/results/text_speed.csv.

    python -m benchmarks.speed.texts
    python -m benchmarks.speed.texts --quick  # seconds: does it run?
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from benchmarks.speed import _results
from sklearn_activelearn import HybridSamplingClassifier
from sklearn_activelearn._cli.rows import LastColumns
from sklearn_activelearn.preprocessing import TextEncoder

KINDS = {"words": {"parts": False, "n_directions": 0}, "default": {}}
HEAD = ["texts", "characters", "numbers", "numbers a text", "encoding, s", "batch, s"]
N_BATCHES = 9


def texts_like(n, n_characters, rng):
    """Return texts of two kinds, and the kinds."""
    letters = np.array([*"etaoinshrdlucmfwypvbgk"])
    n_words = 30_000
    lengths = rng.integers(2, 10, n_words)
    words = ["".join(rng.choice(letters, k)) for k in lengths]
    frequencies = 1 / np.arange(3, n_words + 3)
    of_kinds = [rng.permutation(frequencies[:300]) for _ in range(2)]
    shares = [
        np.concatenate([own, frequencies[300:]]) / frequencies.sum() for own in of_kinds
    ]
    kinds = np.arange(n) % 2
    found = [rng.choice(n_words, (n, n_characters // 5), p=each) for each in shares]
    return [
        " ".join(words[k] for k in found[kind][row])[:n_characters]
        for row, kind in enumerate(kinds)
    ], kinds


def seconds_of_batch(X, y, n_dense):
    """Return the median seconds to choose and to learn ten rows."""
    learner = HybridSamplingClassifier(
        n_coverage=1_000, n_candidates=1_000, batch_size=10, random_state=0,
        embedding=LastColumns(n_dense) if n_dense else None,
    )  # fmt: skip
    seconds = []
    for _ in range(N_BATCHES):
        started = time.process_time()
        rows = learner.query(X)
        learner.teach(X[rows], y[rows], classes=[0, 1])
        seconds.append(time.process_time() - started)
    return np.median(seconds[2:])


def main(argv=None):
    """Time kinds of numbers on two kinds of texts."""
    quick = parse(__doc__, argv).quick
    sizes = [(200, 240), (400, 40)] if quick else [
        (2_000, 240), (20_000, 240), (200_000, 40)
    ]  # fmt: skip
    lines = []
    for n, n_characters in sizes:
        texts, y = texts_like(n, n_characters, np.random.default_rng(0))
        for kind, how in KINDS.items():
            with threadpool_limits(1):
                started = time.process_time()
                encoder = TextEncoder(["text"], **how)
                X = encoder.fit_transform({"text": texts})
                encoding = time.process_time() - started
                batch = seconds_of_batch(X, y, encoder.n_dense_)
            seconds = f"{encoding:.1f}", f"{batch:.2f}"
            lines.append([f"{n:,}", n_characters, kind, f"{X.nnz / n:.0f}", *seconds])
    _results.write("text_speed.csv", HEAD, lines, quick)


if __name__ == "__main__":
    main()
