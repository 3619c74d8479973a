"""The next row after a label, with 100,000 abstracts and the average of two models.

Texts are made up: words are drawn by Zipf's law from 50,000, those of relevant texts
from a part of them more often, 400 a text; TF-IDF. One line each:

LSA          finding 100 principal directions of all texts, once
teach        storing a label and training both models on all labels so far
query        scoring all texts and choosing one
next         the next text of a session that stops at a recall and trains in the
             background, after a label; the median and the largest, from the first label
             on and after those labels, while somebody reads each text for --pause
             seconds
?            what was found and what is to be read

    python -m benchmarks.speed.screening [--rows 100000] [--labels 2000]
        [--pause 1] [--quick]

Seconds of the processor, the median of five, for LSA, teach, query and ?; of the clock
for next; one thread.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import TfidfTransformer
from threadpoolctl import threadpool_limits

from benchmarks.options import parse
from sklearn_activelearn import RelevanceSamplingClassifier
from sklearn_activelearn._cli.default_learners import (
    BATCH,
    model_of_words_and_directions,
)
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.pool import RecallTarget
from sklearn_activelearn.preprocessing._text_numbers import places, principal_directions

SEED = 0
N_TERMS, N_WORDS, SHARE = 50_000, 400, 0.02
N_DIRECTIONS = 100
#: Labels for which somebody waits.
N_WAITS = 30


def texts(n_rows):
    """Return TF-IDF of made-up texts, and which are relevant."""
    rng = np.random.default_rng(SEED)
    y = rng.random(n_rows) < SHARE
    words = rng.zipf(1.3, size=(n_rows, N_WORDS)) % N_TERMS
    own = (rng.random((n_rows, N_WORDS)) < 0.2) & y[:, None]
    words[own] = 1_000 + words[own] % 500
    rows = np.repeat(np.arange(n_rows), N_WORDS)
    counts = csr_matrix((np.ones(rows.size), (rows, words.ravel())), (n_rows, N_TERMS))
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts), y


def main():
    quick = {"rows": 500, "labels": 50, "pause": 0}
    args = parse(__doc__, None, quick, rows=100_000, labels=2_000, pause=1.0)
    X, y = texts(args.rows)
    print(
        f"{args.rows:,} texts, {X.nnz / args.rows:.0f} terms each, {args.labels} labels"
    )
    with threadpool_limits(1):
        start = process_time()
        directions = principal_directions(X, N_DIRECTIONS)
        X = hstack([X, csr_matrix(places(X, directions))]).tocsr()
        print(f"LSA | {process_time() - start:.2f}")
        model = model_of_words_and_directions(N_TERMS)
        learner = RelevanceSamplingClassifier(model, budget=None, random_state=SEED)
        known = np.random.default_rng(SEED).permutation(args.rows)[: args.labels]
        learner.teach(X[known], y[known])
        times = {"teach": [], "query": []}
        for _ in range(5):
            start = process_time()
            rows = learner.query(X)
            times["query"].append(process_time() - start)
            start = process_time()
            learner.teach(X[rows], y[rows])
            times["teach"].append(process_time() - start)
    for name, seconds in times.items():
        print(f"{name} | {np.median(seconds):.2f}", flush=True)
    with threadpool_limits(1), TemporaryDirectory() as folder:
        search(X, np.where(y, "relevant", "other"), known, args, Path(folder))


def search(X, y, known, args, folder):
    """Print what somebody waits for in a session."""
    learner = RelevanceSamplingClassifier(
        model_of_words_and_directions(N_TERMS),
        positive="relevant",
        batch_size=BATCH,
        budget=None,
        stopping=RecallTarget(positive="relevant"),
        random_state=SEED,
    )
    labels = y.tolist()
    with LabelingSession(
        learner, X, folder / "search", ids=range(len(y)), classes=["other", "relevant"],
        ahead=1,
    ) as session:  # fmt: skip

        def waits(n):
            seconds = []
            for _ in range(n):
                start = perf_counter()
                row = session.next()
                seconds.append(perf_counter() - start)
                session.label(row, labels[row])
                sleep(args.pause)
            return f"{np.median(seconds):.3f}, {max(seconds):.2f}"

        first = int(np.flatnonzero(y == "relevant")[0])
        for row in (first, int(np.flatnonzero(y == "other")[0])):
            session.label(row, labels[row])
        print(f"next, from the first label on | {waits(N_WAITS)}", flush=True)
        for row in known.tolist():
            session.label(row, labels[row])
        session.next()
        n_labels = N_WAITS + args.labels
        print(f"next, from {n_labels} labels on | {waits(2 * N_WAITS)}", flush=True)
        start = process_time()
        session.advice()
        print(f"? | {process_time() - start:.2f}")


if __name__ == "__main__":
    main()
