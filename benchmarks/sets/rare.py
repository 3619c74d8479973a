"""Rare classes: what learners find and how well they tell the classes apart.

streams  Learners go once through 2,000 rows of a set of two classes, of which 1, 3 or
         50 % are positive (fewer where a set has too few rows; others are left out at
         random), in random orders. Test rows keep the shares of the set. All parameters
         are defaults but `class_weight`.

         none, balanced   balanced error in % without class weights, and with "balanced"
         own              the same as balanced, divided by that of the threshold that is
                          best on the test rows
         hindsight        divided by that of the best threshold without class weights
         one class        runs in % that end predicting one class for all test rows,
                          without and with class weights
         warned           those of them that warned, in %
         labels, found    labels bought, and positives among them, without and with
         difference       balanced less none, paired over the runs, in points, with its
                          95 % interval

Quotients are of means over sets and orders.

several  The same for sets of several classes, whose shares of the stream are between 1
         and 0.02, at equal ratios, in random order: balanced errors and labels, without
         and with class weights.

pools    Learners buy 100 labels of 1,200 rows of a set, 1, 3 or 10 % of them positive.
         First 10, then 5 at a time; the model is ``LogisticRegression(C=10)``,
         "balanced" with class weights; "similar" starts with the rows most similar to
         one positive test row.

         found            positives among the labels
         first            labels until the first positive; 101 if there was none
         balanced, AP     balanced accuracy and average precision in % on test rows
         against          found and AP less those of random, margin, and of the rows
                          that are most likely positive, paired over the runs, with
                          95 % intervals

start    Labels until the first positive, of 1,200 rows: random rows; ten that cover the
         pool, then random ones; those most similar to one positive test row, or, of
         texts, to words that tell positives from others in the test rows.

    python -m benchmarks.sets.rare [streams] [several] [pools] [start]
        [--sets news ...] [--learners CBGZ ...] [--shares 1 3 ...] [--orders 10]
        [--results FILE] [--quick]

Seeds are the numbers of the orders.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_curve

from benchmarks import data, problems
from benchmarks.options import parse, parts_of
from benchmarks.problems import Problem, as_they_are, of_class, standardised
from benchmarks.runner import Runner
from benchmarks.sets import streams as stream_sets
from benchmarks.statistics import half_interval
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.exceptions import OneClassWarning
from sklearn_activelearn.pool import PoolClassifier, Rule

BUDGET, BATCH = 100, 5


class LikeliestRule(Rule):
    """The rows that are most likely positive."""

    needs = "predict_proba"

    def utility(self, model, X):
        """Return the probability of the last class."""
        return model.predict_proba(X)[:, -1]


class LikeliestFirst(PoolClassifier):
    """Buys the rows that are most likely positive."""

    def make_rule(self):
        """Return the rule."""
        return LikeliestRule()


MODEL = LogisticRegression(C=10, max_iter=1_000)
BALANCED = clone(MODEL).set_params(class_weight="balanced")
SIZES = {"n_initial": 10, "batch_size": BATCH, "budget": BUDGET}
#: By name: a learner, and whether its first rows are similar to a positive one.
POOL_LEARNERS = {
    "random": (PassiveClassifier(MODEL, **SIZES), False),
    "margin": (MinMarginClassifier(MODEL, **SIZES), False),
    "likeliest": (LikeliestFirst(MODEL, **SIZES), False),
    "margin, balanced": (MinMarginClassifier(BALANCED, **SIZES), False),
    "uncertainty, balanced": (UncertaintySamplingClassifier(BALANCED, **SIZES), False),
    "herding": (UncertaintyHerdingClassifier(MODEL, **SIZES), False),
    "herding, balanced": (UncertaintyHerdingClassifier(BALANCED, **SIZES), False),
    "margin, similar": (MinMarginClassifier(MODEL, **SIZES), True),
    "likeliest, similar": (LikeliestFirst(MODEL, **SIZES), True),
}
#: What the others are compared with.
RIVALS = ("random", "margin", "likeliest")


class PoolRun(NamedTuple):
    """Positives that a learner found in a pool, and its scores."""

    set: str
    share: float
    learner: str
    order: int
    positives: int
    found: int
    until_first: int  # labels, those of the budget and one if it found none
    accuracy: float  # balanced
    precision: float  # average

    @property
    def key(self):
        """The set, share, learner and order: unique to a run."""
        return self[:4]


def run_pool(key, split, budget=BUDGET):
    """Return what a learner finds in a pool."""
    _, _, learner, order = key
    model, is_similar = POOL_LEARNERS[learner]
    model = clone(model).set_params(random_state=order, budget=budget)
    if is_similar:
        first = np.flatnonzero(split.y_test)[[0]]
        model.set_params(initial=split.X_test[first])
    model.fit(split.X, split.y)
    bought = split.y[model.queried_indices_]
    scores = model.predict_proba(split.X_test)[:, 1]
    return PoolRun(
        *key,
        split.y.sum(),
        bought.sum(),
        np.argmax(bought) + 1 if bought.any() else budget + 1,
        balanced_accuracy_score(split.y_test, model.predict(split.X_test)),
        average_precision_score(split.y_test, scores),
    )


def pool_line(runs, learner):
    """Return the line of a learner: its means, and how it differs from the rivals."""
    own = {(run.set, run.order): run for run in runs if run.learner == learner}
    cells = [learner]
    for name, unit, digits in (
        ("found", 1, 1),
        ("until_first", 1, 0),
        ("accuracy", 100, 1),
        ("precision", 100, 1),
    ):
        values = [getattr(run, name) for run in own.values()]
        cells.append(f"{unit * np.mean(values):.{digits}f}")
    for rival in RIVALS:
        others = {(run.set, run.order): run for run in runs if run.learner == rival}
        for name, unit in (("found", 1), ("precision", 100)):
            both = own.keys() & others.keys()
            change = [
                unit * (getattr(own[key], name) - getattr(others[key], name))
                for key in both
            ]
            cells.append(with_interval(change) if rival != learner else "-")
    return " | ".join(cells)


def with_interval(values):
    """Return the mean of paired differences with its 95 % interval."""
    if len(values) < 2:
        return "-"
    return f"{np.mean(values):+.1f} ± {half_interval(values):.1f}"


def screening(name):
    """Return the function that loads texts by their words, and which are relevant."""

    def load():
        counts, y, is_word = data.review(name)
        return counts[:, np.flatnonzero(is_word)], y

    return load


def words_for(split, first, last):
    """Return a row that has some words that tell positives from others.

    They are taken from the test rows, as somebody who knows the topic would name them:
    those whose mean weights differ most, from one rank to another.
    """
    y = split.y_test.astype(bool)
    means = [np.asarray(split.X_test[part].mean(axis=0)).ravel() for part in (y, ~y)]
    words = np.argsort(means[1] - means[0], kind="stable")[first:last]
    row = np.zeros((1, split.X.shape[1]))
    row[0, words] = 1 / len(words) ** 0.5
    return csr_matrix(row)


def starts_of(split):
    """Return by name what the first rows may follow."""
    positive = split.X_test[np.flatnonzero(split.y_test)[[0]]]
    starts = {"random": "random", "herding": "herding", "one positive": positive}
    if issparse(split.X):
        starts["3 words"] = words_for(split, 0, 3)
        starts["words 11 to 13"] = words_for(split, 10, 13)
    return starts


def labels_until_first(split, initial, order):
    """Return how many labels are bought until the first positive one."""
    learner = MinMarginClassifier(
        n_initial=len(split.y), initial=initial, budget=None, random_state=order
    )
    if isinstance(initial, str) and initial == "herding":
        learner.set_params(n_initial=10)
    found = 0
    while True:
        rows = learner.query(split.X)
        if split.y[rows].any():
            return found + int(np.argmax(split.y[rows])) + 1
        found += len(rows)
        learner.teach(split.X[rows], split.y[rows])


N_STREAM, N_POOL = 2_000, problems.N_RARE_POOL


def other_blocks():
    """Return blocks of a page, and whether they are not text."""
    X, y = data.keel("page-blocks")
    return X, 1 - y


def positives_of(load):
    """Return the function that loads rows, and whether they are of the second class."""

    def loaded():
        X, y = load()
        return X, y == np.unique(y)[1]

    return loaded


def term_weights(pool, test):
    """Return counts of terms as TF-IDF."""
    weights = TfidfTransformer(sublinear_tf=True).fit(pool)
    return weights.transform(pool), weights.transform(test)


STREAMS = {
    "news": Problem(positives_of(problems.news), as_they_are),
    "money-fx": Problem(positives_of(data.money_fx), as_they_are),
    "C15": Problem(stream_sets.topic("C15"), as_they_are),
    "covtype": Problem(of_class(data.covtype, 2), standardised),
    "MNIST odd": Problem(positives_of(stream_sets.odd), as_they_are),
    "MNIST 9": Problem(of_class(data.mnist, 9), as_they_are),
    "USPS 8": Problem(of_class(data.usps, 8), as_they_are),
    "mushroom": Problem(positives_of(problems.uci("mushroom")), standardised),
    "twonorm": Problem(positives_of(problems.raetsch("twonorm")), standardised),
}
#: Sets of the pools in which 3 % of the rows are of one class: the sets of the streams,
#: but only one of the two sets of MNIST, and all sets of two classes in `problems.MANY`
#: that have enough rows.
RARE = {f"{name}, rare": set_ for name, set_ in STREAMS.items() if name != "MNIST odd"}
RARE |= {
    f"{name}, rare": Problem(positives_of(load), standardised)
    for name, load in {
        "banana": problems.raetsch("banana"),
        "page-blocks": other_blocks,
        "phoneme": problems.keel("phoneme"),
        "spambase": problems.lu2023("spambase"),
    }.items()
}
TOY_STREAMS = {
    "digits 8": Problem(of_class(data.digits, 8), as_they_are),
    "tumours": Problem(positives_of(problems.tumours), standardised),
}
SEVERAL = {
    "USPS": Problem(data.usps, as_they_are),
    "covtype": Problem(data.covtype, standardised),
    "desks": Problem(problems.desks, as_they_are),
    "topics": Problem(problems.topics, as_they_are),
    "noisy": Problem(problems.noisy, standardised),
}
TOY_SEVERAL = {
    "digits": Problem(lambda: load_digits(n_class=4, return_X_y=True), standardised)
}
POOLS = STREAMS | {
    "Kitchenham": Problem(screening("kitchenham"), term_weights),
    "Proton": Problem(screening("proton"), term_weights),
}
STREAM_LEARNERS = {
    "CBGZ": CBGZClassifier(),
    "DKM": DKMClassifier(),
    "log-ramp": MarginLossClassifier(),
    "root-ramp": MarginLossClassifier("root_ramp"),
    "ramp": MarginLossClassifier("ramp"),
    "sigmoid": MarginLossClassifier("sigmoid"),
    "hinge": MarginLossClassifier("hinge"),
    "log-ramp, adaptive": MarginLossClassifier(learning_rate="adaptive"),
    "greedy": GreedyOnlineClassifier(),
    "random": RandomSamplingClassifier(),
    "RLS": RLSSamplingClassifier(),
    "SOLE": SOLEClassifier(),
    "SOP": SecondOrderPerceptronClassifier(),
}


class StreamRun(NamedTuple):
    """Errors of a learner on a stream, and the labels that it bought."""

    set: str
    share: float
    learner: str
    class_weight: str
    order: int
    error: float  # balanced
    best: float  # with the threshold that is best on the test rows
    one_class: bool
    warned: bool
    labels: int
    found: int

    @property
    def key(self):
        """The set, share, learner, weights and order: unique to a run."""
        return self[:5]


def run_stream(key, split):
    """Return what a learner makes of a stream."""
    _, _, learner, class_weight, order = key
    class_weight = None if class_weight == "none" else class_weight
    model = STREAM_LEARNERS[learner]
    model.set_params(class_weight=class_weight, shuffle=False, random_state=order)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(split.X, split.y)
    guesses = model.predict(split.X_test)
    false, true, _ = roc_curve(split.y_test, model.decision_function(split.X_test))
    return StreamRun(
        *key,
        1 - balanced_accuracy_score(split.y_test, guesses),
        ((1 - true + false) / 2).min(),
        len(np.unique(guesses)) == 1,
        any(each.category is OneClassWarning for each in caught),
        model.n_queries_,
        split.y[model.queried_indices_].sum(),
    )


def stream_tasks(args):
    """Yield all runs over streams, a set at a time."""
    sets = TOY_STREAMS if args.quick else STREAMS
    n_stream = 200 if args.quick else N_STREAM
    for name in args.sets or sets:
        X, y = sets[name].load()
        for share in args.shares:
            for order in range(args.orders):
                split = sets[name].split_rare(X, y, order, n_stream, share / 100)
                for learner in args.learners:
                    for class_weight in ("none", "balanced"):
                        key = name, share, learner, class_weight, order
                        yield key, run_stream, split


def column(runs, name):
    """Return one measure of all runs."""
    return np.array([getattr(run, name) for run in runs], dtype=float)


def percent(part, whole):
    """Return a share in percent, or a dash for a share of nothing."""
    return f"{100 * part / whole:.0f}" if whole else "-"


def stream_line(share, learner, none, balanced):
    """Return the line of a learner, from its runs without and with class weights."""
    before, after = column(none, "error"), column(balanced, "error")
    change = 100 * (after - before)
    cells = [
        share,
        learner,
        f"{100 * before.mean():.1f} {100 * after.mean():.1f}",
        f"{after.mean() / column(balanced, 'best').mean():.2f}",
        f"{after.mean() / column(none, 'best').mean():.2f}",
    ]
    for name in ("one_class", "warned"):
        shares = []
        for runs in (none, balanced):
            stuck = [run for run in runs if run.one_class]
            wanted = runs if name == "one_class" else stuck
            shares.append(
                percent(sum(getattr(run, name) for run in stuck), len(wanted))
            )
        cells.append(" ".join(shares))
    for name in ("labels", "found"):
        values = [column(runs, name).mean() for runs in (none, balanced)]
        cells.append(" ".join(f"{value:.0f}" for value in values))
    cells.append(f"{change.mean():+.1f} ± {half_interval(change):.1f}")
    return " | ".join(map(str, cells))


def streams(args):
    """Print what class weights do to stream learners."""
    print(f"streams: {args.orders} orders of {N_STREAM} rows, seeds from 0")
    runner = Runner(args.results, StreamRun, "sets.rare", args.argv)
    runner.run(stream_tasks(args))
    runs = list(runner.done.values())
    print(
        "positives, % | learner | none balanced | own | hindsight | one class | warned "
        "| labels | found | difference"
    )
    for share in args.shares:
        for learner in args.learners:
            of = [run for run in runs if (run.share, run.learner) == (share, learner)]
            none, balanced = (
                [run for run in of if run.class_weight == name]
                for name in ("none", "balanced")
            )
            print(stream_line(share, learner, none, balanced))


def unequal(X, y, prepare, order, n_stream):
    """Return a stream whose classes have very different shares, and test rows."""
    rng, classes = np.random.default_rng((problems.SEED, order)), np.unique(y)
    rows = rng.permutation(len(y))
    n_test = min(problems.N_RARE_TEST, len(y) // 3)
    test, rows = rows[:n_test], rows[n_test:]
    shares = rng.permutation(np.geomspace(1, 0.02, len(classes)))
    n_rows = np.maximum(3, n_stream * shares / shares.sum()).astype(int)
    kept = [rows[y[rows] == c][:n] for c, n in zip(classes, n_rows, strict=True)]
    stream = rng.permutation(np.concatenate(kept))
    X_stream, X_test = prepare(X[stream], X[test])
    return problems.Split(X_stream, y[stream], X_test, y[test])


def several(args):
    """Print what class weights do to streams of several classes."""
    print(f"several classes: {args.orders} orders, seeds from 0")
    sets = TOY_SEVERAL if args.quick else SEVERAL
    found = {learner: [] for learner in args.learners}
    for name in args.sets or sets:
        X, y = sets[name].load()
        for order in range(args.orders):
            n_stream = 200 if args.quick else N_STREAM
            split = unequal(X, y, sets[name].prepare, order, n_stream)
            for learner in args.learners:
                both = []
                for class_weight in (None, "balanced"):
                    model = clone(STREAM_LEARNERS[learner])
                    model.set_params(class_weight=class_weight, random_state=order)
                    with warnings.catch_warnings(action="ignore"):
                        model.partial_fit(split.X, split.y, classes=np.unique(y))
                    guesses = model.predict(split.X_test)
                    score = balanced_accuracy_score(split.y_test, guesses)
                    both += [100 * (1 - score), model.n_queries_]
                found[learner].append(both)
    print("learner | none balanced | labels")
    for learner, values in found.items():
        none, n_none, balanced, n_balanced = np.mean(values, axis=0)
        print(f"{learner} | {none:.1f} {balanced:.1f} | {n_none:.0f} {n_balanced:.0f}")


def pool_splits(args):
    """Yield a name, a share, an order and rows; of sets that are here."""
    sets, n_rows = (TOY_STREAMS, 200) if args.quick else (POOLS, N_POOL)
    for name in args.sets or sets:
        try:
            X, y = sets[name].load()
        except OSError as error:
            print(f"{name} is left out: {error}")
            continue
        for share in args.shares:
            for order in range(args.orders):
                split = sets[name].split_rare(X, y, order, n_rows, share / 100)
                if split.y.sum() == round(share / 100 * n_rows):
                    yield name, share, order, split


def pools(args):
    """Print what pool learners find where positives are rare."""
    print(f"pools: {args.orders} orders of {N_POOL} rows, seeds from 0")
    runner = Runner(args.results, PoolRun, "sets.rare", args.argv)
    budget = 20 if args.quick else BUDGET
    tasks = [
        ((name, share, learner, order), run_pool, split, budget)
        for name, share, order, split in pool_splits(args)
        for learner in args.learners
    ]
    runner.run(tasks)
    runs = [runner.done[key] for key, *_ in tasks if key in runner.done]
    for share in args.shares:
        of = [run for run in runs if run.share == share]
        print(f"{share} % positives, {len({run.set for run in of})} sets")
        print(
            "learner | found | first | balanced | AP | against random: found | AP "
            "| against margin: found | AP | against likeliest: found | AP"
        )
        for learner in dict.fromkeys(run.learner for run in of):
            print(pool_line(of, learner))


def start(args):
    """Print how many labels it takes to find the first positive."""
    print(f"start: {args.orders} orders of {N_POOL} rows, seeds from 0")
    print("set | positives, % | start | labels: mean, median, 90 % | none in 100, %")
    found = {}
    for name, share, order, split in pool_splits(args):
        for kind, initial in starts_of(split).items():
            n_labels = labels_until_first(split, initial, order)
            found.setdefault((name, share, kind), []).append(n_labels)
    for key, counts in found.items():
        mean, middle, high = np.mean(counts), *np.quantile(counts, [0.5, 0.9])
        without = percent(np.count_nonzero(np.array(counts) > 100), len(counts))
        cells = (*key, f"{mean:.1f}, {middle:.0f}, {high:.0f}", without)
        print(" | ".join(map(str, cells)))


#: Positives in %, of each part, and at toy size.
SHARES = {
    "streams": [1, 3, 50],
    "several": [],
    "pools": [1, 3, 10],
    "start": [1],
    "quick": [3, 50],
}
#: The parts of this benchmark.
PARTS = {"streams": streams, "several": several, "pools": pools, "start": start}


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        quick={"orders": 1},
        parts=parts_of(PARTS),
        sets=POOLS | SEVERAL | TOY_STREAMS | TOY_SEVERAL,
        learners=STREAM_LEARNERS | POOL_LEARNERS,
        shares=[float],
        orders=10,
        results=str,
    )
    args.argv, shares, learners = argv, args.shares, args.learners or []
    for part in args.parts or PARTS:
        own = SHARES["quick" if args.quick else part]
        args.shares = own if args.quick or shares is None else shares
        known = POOL_LEARNERS if part == "pools" else STREAM_LEARNERS
        args.learners = [name for name in learners if name in known] or [*known]
        PARTS[part](args)


if __name__ == "__main__":
    main()
