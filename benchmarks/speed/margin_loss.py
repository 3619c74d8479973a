"""One pass of the margin-loss samplers, and what exchangeable rules cost.

The yardstick is `X @ w` on one thread (scipy's product for CSR). "inlined" is a
loop with the same kernels whose rule is written into it, compiled on the spot;
both buy the same labels and learn the same weights, which is checked. All but a toy
run write the tables to docs/results/margin_loss_speed.csv, a column for each problem,
goals in brackets.

    python -m benchmarks.speed.margin_loss [--rounds 9] [--quick]
"""

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks.speed import _results, _rows
from benchmarks.speed._compiled import compiled
from benchmarks.speed._interleave import Case, column, main, side_by_side, table
from benchmarks.speed.one_pass import ONE_EPOCH, fresh, in_words, kernel, whole
from sklearn_activelearn import GreedyOnlineClassifier, MarginLossClassifier
from sklearn_activelearn.kernels._rows import Rows
from sklearn_activelearn.losses import make_loss

LOSSES = ["ramp", "log_ramp", "root_ramp", "sigmoid"]
PLAIN = {"random_state": 0, "patience": None}


def inlined(learner, X, y):
    """Return the hand-inlined loop over all rows, ready to call, after a check."""
    rows, labels = Rows(X), y.astype(np.int32)
    fitted = fresh(learner).partial_fit(X, y, classes=[0, 1])
    bought, probabilities = np.empty(len(y), np.int64), np.empty(len(y))

    def call():
        w = np.zeros(X.shape[1] + 1)
        n_bought = compiled("inlined_rule").run(
            rows, labels, make_loss(learner.loss).t, learner.eta0, fitted._coin_seed, w,
            bought, probabilities,
        )  # fmt: skip
        return w, n_bought

    w, n_bought = call()
    np.testing.assert_array_equal(bought[:n_bought], fitted.queried_indices_)
    np.testing.assert_allclose(w[:-1], fitted.coef_[0], rtol=1e-9, atol=1e-12)
    return call


def cases(X, y, kernel_target, eta0):
    """Return the lines for two classes."""
    w = np.random.default_rng(1).standard_normal(X.shape[1])
    lines = [Case("X @ w", lambda: X @ w)]
    for loss in LOSSES:
        learner = MarginLossClassifier(loss, eta0=eta0, **PLAIN)
        lines.append(
            Case(f"kernel {loss}", kernel(learner, X, y), "X @ w", kernel_target)
        )
    learner = MarginLossClassifier("log_ramp", eta0=eta0, **PLAIN)
    hinge = MarginLossClassifier("hinge", eta0=eta0, **PLAIN)
    greedy = GreedyOnlineClassifier(eta0=eta0, random_state=0)
    adaptive = {"learning_rate": "adaptive"}
    return [
        *lines,
        Case("kernel greedy", kernel(greedy, X, y), "X @ w", kernel_target),
        Case(
            "kernel greedy, adaptive",
            kernel(fresh(greedy, **adaptive), X, y),
            "kernel greedy",
        ),
        Case("kernel hinge", kernel(hinge, X, y), "X @ w"),
        Case(
            "kernel hinge, adaptive",
            kernel(fresh(hinge, **adaptive), X, y),
            "kernel hinge",
        ),
        Case("partial_fit log_ramp", whole(learner, X, y), "X @ w", 1.2),
        Case(
            "SGDClassifier, 1 epoch",
            lambda: SGDClassifier(loss="hinge", **ONE_EPOCH).fit(X, y),
            "partial_fit log_ramp",
            at_least=3.0,
        ),
    ]


def purchases(X, y, eta0):
    """Return the shares of the rows that each loss buys and learns from."""
    parts = {}
    for loss in LOSSES:
        learner = MarginLossClassifier(loss, eta0=eta0, **PLAIN)
        learner.partial_fit(X, y, classes=[0, 1])
        parts[loss] = learner.n_queries_ / len(y), learner.n_updates_ / len(y)
    return parts


def compare(title, X, y, kernel_target, eta0, rounds):
    """Print what a pass costs, and what of that is the price of exchangeable rules.

    Returns
    -------
    cells : dict
        The column of the documentation, see `column`.
    """
    shares = purchases(X, y, eta0)
    lines = cases(X, y, kernel_target, eta0)
    heading = f"{title}, eta0 {eta0:g}: {in_words(shares)}"
    cells = column(lines, table(heading, lines, rounds))
    for loss, (bought, _) in shares.items():
        cells[f"labels bought, {loss}", "% of rows"] = f"{100 * bought:.1f}"
    for times in (1, 100):
        step = times * eta0
        learner = MarginLossClassifier("log_ramp", eta0=step, average=False, **PLAIN)
        bought = fresh(learner).partial_fit(X, y, classes=[0, 1]).n_queries_ / len(y)
        timings = table(
            f"{title}, log_ramp, eta0 {step:g}, average=False: buys {bought:.1%}",
            [
                Case("inlined", inlined(learner, X, y)),
                Case("exchangeable", kernel(learner, X, y), "inlined"),
            ],
            rounds,
        )
        extra = timings["exchangeable"].seconds - timings["inlined"].seconds
        nanos = np.median(extra) / len(y) * 1e9
        print(f"  {nanos:.1f} ns a row")
        ratio = timings["exchangeable"].ratio(timings["inlined"])
        name = "log_ramp, average=False" + f", eta0 x {times}" * (times > 1)
        cells[f"kernel {name}", "inlined"] = _results.rounded(ratio)
        cells[f"exchangeable rules, {name}", "ns a row more"] = f"{nanos:.1f}"
        cells[f"labels bought, {name}", "% of rows"] = f"{100 * bought:.1f}"
    return cells


def benchmark(quick, rounds):
    shrink = 100 if quick else 1
    columns = {}

    def add(title, X, y, kernel_target, eta0):
        columns[title] = compare(title, X, y, kernel_target, eta0, rounds)

    X, y, _, what = _rows.images(60_000 // shrink)
    add(f"{what}, {len(X):,} x {X.shape[1]}", X, y, 1.0, 0.01)
    X, y = _rows.gaussian(500_000 // shrink, 54)
    add(f"{len(X):,} x 54", X, y, 1.0, 0.01)
    X, y = _rows.gaussian(2_000, 10)
    add(f"in cache, {len(X):,} x 10", X, y, None, 0.01)
    X, y = _rows.words(20_000 // shrink)
    add(f"CSR, {X.shape[0]:,} x {X.shape[1]:,}", X, y, 1.25, 0.1)
    if not quick:
        _results.write("margin_loss_speed.csv", *side_by_side(columns))


if __name__ == "__main__":
    main(__doc__, benchmark)
