"""The rows of HybridSampling: near-copies in a pool, thin classes, and many labels.

thin     Small, dense pools of two classes, made here: lines, curves and sheets through
         a cloud, rings, moons, spirals, checkerboards. Half of the rows are the pool.
copies   Pools of rows that are near-copies of each other: rows of a set with small
         deviations, images that drift, overlapping windows of a series, texts with
         words left out.
late     Sets with up to 26 classes, 600 labels or two thirds of the pool, twenty at a
         time.

In thin and copies ten labels are bought at a time, up to 120 or 60 % of the pool; the
columns are gains in mean accuracy over the curve against random rows, in points, with
standard errors over the splits: of margin, of the learner as it is, and of the learner
without its rule against near-copies. In late the columns are gains in mean accuracy
over a range of label counts against margin: of the learner as it is, and of the learner
whose share of margin rows stays as it is with ten labels. Constants were chosen on the
sets of the first half, marked "chosen".

    python -m benchmarks.sets.hybrid_rows [thin] [copies] [late] [--only SET ...]
        [--orders 6] [--results FOLDER] [--quick]
"""

from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.options import parse, parts_of
from benchmarks.problems import PROBLEMS, Split, raetsch, tumours, uci
from benchmarks.results import write_table
from benchmarks.runner import attempt
from benchmarks.sets._run import Regime, run
from benchmarks.sets.methods import METHODS, Method, margin
from benchmarks.statistics import spread
from sklearn_activelearn import HybridSamplingClassifier
from sklearn_activelearn.pool._selection import choose_batch

SEED = 0
REGIMES = {"thin": Regime(10, 120), "copies": Regime(10, 120), "late": Regime(20, 600)}
TOY = Regime(10, 30)
MODELS = {"logistic": LogisticRegression(tol=1e-3, max_iter=300), "svc": SVC()}
#: Upper ends of the numbers of labels over which accuracies are averaged.
PHASES = (100, 200, 400, 600)


class TakesCopies(HybridSamplingClassifier):
    """The mixture without its rule against near-copies."""

    def _choose_uncertain(self, round, n_wanted):
        utility = self._utilities(round.X, round.candidates)
        return choose_batch(round._replace(n_wanted=n_wanted), utility)


class SameShare(HybridSamplingClassifier):
    """The mixture whose share of margin rows stays as it is at first."""

    def _margin_share(self):
        return 0.75 if len(np.unique(self._ledger.labelled.codes)) == 2 else 0.0


COMPARED = {
    "random": METHODS["random"],
    "margin": Method(margin),
    "hybrid": Method(HybridSamplingClassifier),
    "without the rule": Method(TakesCopies),
    "same share": Method(SameShare),
}


# Thin classes: rows and labels, drawn by a generator


def join(thin, cloud):
    """Return the rows of a thin class and of a cloud, and their labels."""
    return np.r_[thin, cloud], np.repeat([1, 0], [len(thin), len(cloud)])


def line(n, rng):
    """Return a line through a correlated cloud."""
    along = rng.normal(0.9, 0.6, n // 3)
    rows = np.c_[along, 0.435 * along - 0.345]
    covariance = [[0.196, 0.148], [0.148, 0.207]]
    cloud = rng.multivariate_normal([0.76, 0.64], covariance, n - n // 3)
    return join(rows + 0.003 * rng.standard_normal(rows.shape), cloud)


def curve(n, rng):
    """Return a curve through a cloud in four dimensions."""
    t = rng.uniform(0, 1, n // 3)
    rows = np.c_[np.sin(5 * t), np.cos(5 * t), 2 * t - 1, t**2]
    rows += 0.01 * rng.standard_normal(rows.shape)
    return join(rows, rng.standard_normal((n - n // 3, 4)))


def sheet(n, rng):
    """Return a sheet through a cloud in five dimensions."""
    rows = rng.standard_normal((n // 4, 5))
    rows[:, 0] = 0.5 * rows[:, 1] + 0.02 * rows[:, 0]
    return join(rows, rng.standard_normal((n - n // 4, 5)))


def ring(n, rng, n_columns=2):
    """Return a ring in a cloud."""
    angle = rng.uniform(0, 2 * np.pi, n // 4)
    rows = 0.3 * rng.standard_normal((n // 4, n_columns))
    rows[:, :2] = np.c_[np.cos(angle), np.sin(angle)] + rows[:, :2] / 15
    cloud = rng.standard_normal((n - n // 4, n_columns))
    return join(rows, cloud * np.r_[0.9, 0.9, [0.3] * (n_columns - 2)])


def knot(n, rng, n_columns=3):
    """Return a small dense blob in a cloud."""
    rows = 0.15 * rng.standard_normal((n // 6, n_columns))
    rows[:, 0] += 1
    return join(rows, rng.standard_normal((n - n // 6, n_columns)))


def band(n, rng):
    """Return a band through a square."""
    X = rng.uniform(-1, 1, (n, 2))
    return X, (abs(X[:, 0] + 0.3 * X[:, 1]) < 0.12).astype(int)


def checkerboard(n, rng, n_fields=4):
    """Return the fields of a checkerboard."""
    X = rng.uniform(0, n_fields, (n, 2))
    return X, np.floor(X).sum(axis=1).astype(int) % 2


def spiral(n, rng):
    """Return two spirals."""
    t, y = 3 * np.pi * np.sqrt(rng.uniform(0.05, 1, n)), rng.integers(0, 2, n)
    arm = np.where(y == 1, t, -t)
    rows = np.c_[arm * np.cos(t), arm * np.sin(t)]
    return rows + 0.3 * rng.standard_normal((n, 2)), y


def islands(n, rng):
    """Return twelve small blobs, each with rows of both classes."""
    rows = 0.12 * rng.standard_normal((n, 2))
    centres = rng.uniform(-5, 5, (12, 2))
    return centres[rng.integers(0, 12, n)] + rows, (rows[:, 0] > 0).astype(int)


def moons(n, rng):
    """Return two moons."""
    return make_moons(n, noise=0.15, random_state=rng.integers(2**31))


def plane(n, rng, n_columns=2):
    """Return two classes on both sides of a plane."""
    X = rng.standard_normal((n, n_columns))
    return X, (X.sum(axis=1) + 0.3 * rng.standard_normal(n) > 0).astype(int)


def halves(make, rng):
    """Return a pool, and test rows of the same number."""
    X, y = make(rng)
    rows = rng.permutation(len(y))
    pool, test = np.array_split(rows, 2)
    scaler = StandardScaler().fit(X[pool])
    return Split(scaler.transform(X[pool]), y[pool], scaler.transform(X[test]), y[test])


# Near-copies


def parity():
    """Return small images of digits and whether they are odd."""
    X, y = load_digits(return_X_y=True)
    return X / 16, y % 2


def repeat(load, n_copies, deviation, n_pool, rng):
    """Return a pool of rows with near-copies, and other rows for testing."""
    X, y = load()
    n_groups = min(n_pool // n_copies, len(y) // 2)
    rows = rng.permutation(len(y))[: n_groups + 2_000]
    scaler = StandardScaler().fit(X[rows[:n_groups]])
    pool, test = np.split(scaler.transform(X[rows]), [n_groups])
    pool = np.repeat(pool, n_copies, axis=0)
    pool += deviation * pool.std(axis=0) * rng.standard_normal(pool.shape)
    labels = np.repeat(y[rows[:n_groups]], n_copies)
    return Split(pool, labels, test, y[rows[n_groups:]])


def video(rng, n_clips=50, n_frames=20):
    """Return images of digits that drift, odd and even ones."""
    X, y = parity()
    clips, test = np.split(rng.permutation(len(y)), [n_clips])
    drift = np.cumsum(0.01 * rng.standard_normal((n_clips, n_frames, 64)), axis=1)
    frames = (X[clips, None] + drift).reshape(-1, 64)
    return Split(frames, np.repeat(y[clips], n_frames), X[test], y[test])


def windows(rng, n_series=40, length=80, width=32):
    """Return overlapping windows of oscillations of two frequencies."""
    y = rng.integers(0, 2, 2 * n_series)
    frequency = np.where(y == 1, 0.25, 0.32) + 0.03 * rng.standard_normal(len(y))
    phase, size = rng.uniform(0, 6, len(y)), rng.uniform(0.6, 1.4, len(y))
    time = np.arange(length)
    series = size[:, None] * np.sin(np.outer(frequency, time) + phase[:, None])
    series += 0.02 * rng.standard_normal(series.shape)
    X = np.lib.stride_tricks.sliding_window_view(series, width, axis=1)
    n_windows, n_pool = X.shape[1], n_series * X.shape[1]
    X, y = X.reshape(-1, width), np.repeat(y, n_windows)
    return Split(X[:n_pool], y[:n_pool], X[n_pool:], y[n_pool:])


def texts(rng, n_texts=150, n_copies=8):
    """Return news, each several times without a few of its words."""
    X, y, _ = data.rcv1()
    rows = rng.permutation(len(y))[: n_texts + 1_500]
    pool = X[np.repeat(rows[:n_texts], n_copies)].copy()
    pool.data *= rng.random(len(pool.data)) > 0.07
    pool.eliminate_zeros()
    kept = np.flatnonzero(pool.getnnz(axis=0) >= 3)
    labels = np.repeat(y[rows[:n_texts]], n_copies)
    test = rows[n_texts:]
    return Split(normalize(pool[:, kept]), labels, X[test][:, kept], y[test])


def rows_of(name, order):
    """Return a split of a set, at most 1,000 rows for sale."""
    problem = PROBLEMS[name]
    return problem.split(*problem.load(), order, n_pool=1_000)


# Runs


def made(make, *shape, **settings):
    """Return the function that draws the pool of an order."""

    def split(order):
        return make(*shape, rng=np.random.default_rng((SEED, order)), **settings)

    return split


def thin(make, n, **settings):
    """Return the function that draws rows and halves them."""
    return made(halves, partial(make, n, **settings))


CASES = {
    "thin": {
        "line": thin(line, 1_100),
        "ring": thin(ring, 500),
        "moons": thin(moons, 400),
        "blob, 2 columns": thin(knot, 300, n_columns=2),
        "checkerboard": thin(checkerboard, 1_200),
        "sheet": thin(sheet, 900),
        "plane, 5 columns": thin(plane, 600, n_columns=5),
        "islands": thin(islands, 600),
        "line, short": thin(line, 300),
        "ring, 4 columns": thin(ring, 700, n_columns=4),
        "blob": thin(knot, 500),
        "checkerboard, small": thin(checkerboard, 500, n_fields=3),
        "curve": thin(curve, 700),
        "plane": thin(plane, 500),
        "spiral": thin(spiral, 900),
        "band": thin(band, 300),
    },
    "copies": {
        "odd digits": made(repeat, parity, 5, 1e-3, 1_500),
        "odd digits, far": made(repeat, parity, 10, 0.2, 1_500),
        "german": made(repeat, raetsch("german"), 5, 1e-3, 1_500),
        "twonorm": made(repeat, raetsch("twonorm"), 10, 0.1, 1_500),
        "windows": made(windows),
        "video": made(video),
        "tumours": made(repeat, tumours, 10, 1e-3, 400),
        "pima": made(repeat, uci("pima"), 10, 1e-3, 1_500),
        "ionosphere": made(repeat, uci("ionosphere"), 3, 1e-3, 300),
        "banana": made(repeat, raetsch("banana"), 5, 1e-3, 1_500),
        "image": made(repeat, raetsch("image"), 5, 1e-2, 1_500),
        "texts": made(texts),
    },
    "late": {
        name: partial(rows_of, name)
        for name in (
            *("digits", "noisy", "covtype", "desks", "german", "banana"),
            *("usps", "mnist", "letters", "topics", "image", "splice"),
        )
    },
}
N_CHOSEN = {"thin": 8, "copies": 6, "late": 6}
MODELS_OF = {"thin": ["logistic", "svc"], "copies": ["svc"], "late": ["logistic"]}
METHODS_OF = {
    "thin": ["random", "margin", "hybrid", "without the rule"],
    "copies": ["random", "margin", "hybrid", "without the rule"],
    "late": ["margin", "hybrid", "same share"],
}


def curves(part, split, model, order, is_quick):
    """Return the accuracies of each method after each batch, in %."""
    rows = split(order)
    if is_quick:
        few = slice(0, None, max(1, len(rows.y) // 100))
        rows = rows._replace(X=rows.X[few], y=rows.y[few])
    regime = TOY if is_quick else REGIMES[part]
    budget = min(regime.budget, 3 * len(rows.y) // 5)
    regime = regime._replace(budget=budget - budget % regime.batch_size)
    found = []
    for name in METHODS_OF[part]:
        arguments = COMPARED[name], MODELS[model], regime, rows
        _, outcome = attempt((order,), run, arguments)
        if isinstance(outcome, str):
            raise RuntimeError(f"{name}: {outcome}")
        found.append(100 * np.array(outcome.accuracy))
    return np.array(found)


def gain(differences):
    """Return a mean gain and its standard error."""
    mean, error = spread(differences)
    return f"{mean:.1f} ± {error:.1f}"


def table_of(part, names, orders, is_quick):
    """Yield the lines of a table."""
    _, *others = METHODS_OF[part]
    size = REGIMES[part].batch_size
    ends = PHASES if part == "late" else PHASES[:1]
    yield [
        "set",
        "model",
        "chosen",
        *(
            f"{name}, to {end} labels" if part == "late" else name
            for end in ends
            for name in others
        ),
    ]
    for k, (name, split) in enumerate(CASES[part].items()):
        if names and name not in names:
            continue
        for model in MODELS_OF[part]:
            runs = [curves(part, split, model, order, is_quick) for order in orders]
            gains = np.array([run[1:] - run[0] for run in runs])
            if part == "late":
                after = size * np.arange(1, gains.shape[2] + 1)
                phases = [
                    (after > start) & (after <= end)
                    for start, end in zip((0, *PHASES), PHASES, strict=False)
                ]
            else:
                phases = [np.ones(gains.shape[2], dtype=bool)]
            cells = [
                gain(gains[:, m, phase].mean(axis=1)) if phase.any() else ""
                for phase in phases
                for m in range(len(others))
            ]
            yield [name, model, "chosen" * (k < N_CHOSEN[part]), *cells]


def main(argv=None):
    """Print the tables, and write them."""
    args = parse(
        __doc__,
        argv,
        quick={"orders": 2, "only": ["line", "video", "digits"]},
        parts=parts_of(CASES),
        only={name for of_part in CASES.values() for name in of_part},
        orders=6,
        results=Path,
    )
    for part in args.parts or CASES:
        orders = range(1, args.orders + 1)
        head, *lines = table_of(part, args.only, orders, args.quick)
        print(part)
        file = args.results and args.results / f"hybrid_rows_{part}.csv"
        write_table(file, head, lines)


if __name__ == "__main__":
    main()
