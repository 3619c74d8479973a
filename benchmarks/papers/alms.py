"""Ali, Caruana & Kapoor (2014), Table 1: active learning with model selection.

Area under the learning curve from the first labels to the last, its mean height: test
accuracy, and test log loss. Each trial draws a pool and a test set; all methods begin
with the same number of random labels. Logistic regression with 21 penalties
(`--penalty mean`: lambda / 2 |w|^2 beside the mean of the losses; `sum`: beside their
sum). With `--problem pima` support vector machines with a Gaussian kernel, 25 settings,
but ALMS looks at 2 rows and 2 pairs in a round only: no reproduction. Candidates
are chosen by log loss. Features are scaled to mean 0 and variance 1 on the pool. What a
trial found is written to a file (`--cache`), which later runs read: more trials can be
added, and the figures drawn.

    python -m benchmarks.papers.alms [--trials 30] [--cache DIR] [--results DIR]
        [--penalty mean] [--initial 10] [--labels 100] [--method "ALMS, all rows"]
        [--quick]
"""

from copy import copy
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from joblib import Parallel, delayed
from scipy import special
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import log_loss
from sklearn.model_selection import ParameterGrid, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks import data
from benchmarks.options import at_least, one_of, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results, stored
from sklearn_activelearn import (
    ALMSClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.pool.alms._alms import VALIDATION, ALMSTrainer, can_validate
from sklearn_activelearn.pool.alms._candidate_models import calibrated, coordinates
from sklearn_activelearn.pool.alms._logistic import solve
from sklearn_activelearn.pool.alms._value_of_information import (
    divide,
    draw_left_out,
    model_probabilities,
    values_of_labels,
)
from sklearn_activelearn.utils._statistics import lower_ends

from ._alms_rows import (
    POOLED,
    heights_of,
    in_time,
    of_models,
    of_single,
    of_trials,
    pooled,
    summary,
)


class VariantTrainer(ALMSTrainer):
    """Trainer whose `label`, `temperature` and `selection` are set by `ALMSVariant`."""

    def weigh(self, losses):
        """Return the softmax of minus the losses over the temperature, if it is set."""
        if self.temperature is None:
            return model_probabilities(losses)
        return softmax(-losses / self.temperature, axis=0)

    def values_of_information(self, known, X, n_pairs, rng, refits=False):
        """Return the values, averaged over the labels if ``label="expected"``."""
        if self.label == "predicted":
            return super().values_of_information(known, X, n_pairs, rng, refits)
        models = self.models_on(known, X, refits)
        losses, probabilities = models.trained()
        weights = self.weigh(lower_ends(losses))
        expected = np.tensordot(weights, probabilities, axes=1)
        left_out = draw_left_out(models.n_validation, n_pairs, rng)
        values = [
            values_of_labels(
                models, self.weigh, np.full(len(share), code), *left_out, self.n_jobs
            )
            for code, share in enumerate(expected.T)
        ]
        return np.einsum("cpn,nc->pn", values, expected)

    def losses_to_choose_by(self, models, known):
        """Return the losses that choose the model."""
        is_validation = known.purposes == VALIDATION
        if self.selection == "cv" or not can_validate(
            known.labelled.codes, is_validation
        ):
            return super().losses_to_choose_by(models, known)
        if self.selection == "validation":
            return models.trained()[0]
        rows, nobody = np.arange(models.n_validation), np.empty(0, dtype=int)
        workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
        parts = divide(workers, models.without_one, rows, nobody)
        return np.concatenate([own for own, _ in parts], axis=1)


class ALMSVariant(ALMSClassifier):
    """ALMS with other readings of the paper; set the attributes before `fit`.

    Attributes
    ----------
    label : {"predicted", "expected"}
        Label with which a row is tried: the most probable one, or each class in turn,
        with the values averaged by the class probabilities.
    temperature : float or None
        None: equation 3. A number: model probabilities are the softmax of minus the
        losses over it.
    selection : {"cv", "validation", "leave_one_out"}
        Losses that choose the model: in cross-validation, on the validation set when
        trained on the training set (as published), or on each validation row when
        trained on all other rows.
    """

    label, temperature, selection = "predicted", None, "cv"

    def make_trainer(self):
        """Return the trainer with the attributes."""
        usual = super().make_trainer()
        trainer = VariantTrainer(usual.candidates, usual.cv, usual.n_jobs)
        trainer.label, trainer.temperature = self.label, self.temperature
        trainer.selection = self.selection
        return trainer


def variant(estimator, label="predicted", temperature=None, selection="cv", **params):
    """Return an `ALMSVariant` with its attributes set."""
    learner = ALMSVariant(estimator, **params)
    learner.label, learner.temperature = label, temperature
    learner.selection = selection
    return learner


SEED = 0
FIRST = 1000
EVERY = 5

#: Rows of the pool and of the test set, at most.
POOL, TEST = 250, 1000

#: Candidates and pairs that ALMS looks at in a round.
SIZES = {"n_candidates": 25, "n_pairs": 30}
SVM_SIZES = {"n_candidates": 2, "n_pairs": 2}

#: What is written, and what tells its rows apart in a problem and setting.
FILES = {
    "alms_table_1": ("method", "labels"),
    "alms_figure_2": ("method", "budget", "labels"),
    "alms_figure_2_models": ("method", "budget", "model"),
    "alms_single_models": ("labels", "model"),
}

RUNS = {
    "ALMS": {},
    "ALMS, expected": {"label": "expected"},
    "ALMS, T=.1": {"temperature": 0.1},
    "ALMS, all rows": {"n_candidates": None, "n_pairs": None},
}

#: How the model is chosen has no influence on the purchases.
SELECTIONS = {"": "validation", ", left out": "leave_one_out", ", CV": "cv"}
VARIANTS = {run + name: (run, name) for run in RUNS for name in SELECTIONS}
METHODS = ("passive", "uncertainty", "uncertainty, CV", "QBC", *VARIANTS, "oracle")

#: What takes minutes for a trial, or is not in the paper, runs only if it is asked for.
USUAL = [name for name in METHODS if "all rows" not in name and "T=" not in name]


class Logistic(ClassifierMixin, BaseEstimator):
    """L2 logistic regression by the package's Newton steps: no time for what is not it.

    Parameters
    ----------
    lam : float
        The penalty is lam / 2 |w|^2; the intercept is free.
    beside : {"sum", "mean"}
        Of the losses.
    """

    fit_intercept = True

    def __init__(self, lam=1.0, beside="sum"):
        self.lam = lam
        self.beside = beside

    def l2_weight(self, n_rows):
        """Return the weight of the penalty beside the sum of the losses."""
        return self.lam * (n_rows if self.beside == "mean" else 1)

    def fit(self, X, y):
        """Train."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        A, _ = coordinates(X, None, True)
        lam, none = self.l2_weight(len(y)), np.empty((1, 0), dtype=np.intp)
        sign = 2.0 * codes - 1
        w = solve(A, sign, True, none, None, np.array([lam]))[0, 0]
        self.coef_ = X.T @ (sign * special.expit(-sign * (A @ w))) / lam
        self.intercept_ = w[-1]
        return self

    def decision_function(self, X):
        """Return the margins."""
        return X @ self.coef_ + self.intercept_

    def predict(self, X):
        """Return the more probable classes."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X):
        """Return the class probabilities."""
        margin = self.decision_function(X)
        return np.column_stack([special.expit(-margin), special.expit(margin)])


class PlattSVC(ClassifierMixin, BaseEstimator):
    """Support vector machine, calibrated on the rows that it was trained on."""

    def __init__(self, C=1.0, gamma=1.0):
        self.C = C
        self.gamma = gamma

    def fit(self, X, y):
        """Train and calibrate."""
        machine = SVC(C=self.C, gamma=self.gamma).fit(X, y)
        self.model_ = calibrated(machine, X, np.arange(len(y)), y)
        self.classes_ = machine.classes_
        return self

    def predict(self, X):
        """Return the more probable classes."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        """Return the class probabilities."""
        return self.model_.predict_proba(X)


def usps_5v8():
    X, y = data.usps()
    kept = np.isin(y, (5, 8))
    return X[kept], np.where(y[kept] == 5, 1, -1)


LOAD = {
    "heart": partial(data.uci, "heart"),
    "ionosphere": partial(data.uci, "ionosphere"),
    "votes": partial(data.uci, "votes"),
    "usps": usps_5v8,
    "mushroom": partial(data.uci, "mushroom"),
    "pima": partial(data.uci, "pima"),
}


def toy():
    X, y = data.digits()
    kept = np.isin(y, (5, 8))
    return X[kept][:120, ::4], np.where(y[kept] == 5, 1, -1)[:120]


def split(X, y, trial, n_pool=POOL, scaler=StandardScaler()):  # noqa: B008
    """Return a pool and a test set, scaled."""
    rows = np.random.default_rng((SEED, trial)).permutation(len(y))[: n_pool + TEST]
    half = min(n_pool, len(rows) // 2)
    pool, test = train_test_split(
        rows, train_size=half, stratify=y[rows], random_state=trial
    )
    scaler = clone(scaler).fit(X[pool])
    return scaler.transform(X[pool]), y[pool], scaler.transform(X[test]), y[test]


def candidates(problem, penalty):
    """Return the estimators of the baselines and of ALMS, and their grid."""
    if problem == "pima":
        powers = [0.01, 0.1, 1.0, 10.0, 100.0]
        return PlattSVC(), SVC(gamma=1.0), {"C": powers, "gamma": powers}
    model = Logistic(beside=penalty)
    return model, model, {"lam": [2.0**power for power in range(-10, 11)]}


def learners(problem, penalty, method):
    """Return the learners of a method: one, but for the oracle."""
    baseline, own, grid = candidates(problem, penalty)
    chosen = {"param_grid": grid, "scoring": "neg_log_loss"}
    if method == "passive":
        return [PassiveClassifier(baseline, **chosen)]
    if method == "uncertainty":
        return [UncertaintySamplingClassifier(baseline)]
    if method == "uncertainty, CV":  # on all labels that it is given
        by_cv = PassiveClassifier(baseline, budget=None, **chosen)
        return [UncertaintySamplingClassifier(by_cv)]
    if method == "QBC":
        return [QueryByCommitteeClassifier(baseline, **chosen)]
    if method == "oracle":
        return [
            UncertaintySamplingClassifier(clone(baseline).set_params(**params))
            for params in ParameterGrid(grid)
        ]
    sizes = SVM_SIZES if problem == "pima" else SIZES
    options = {**sizes, **RUNS[method], "selection": "validation"}
    return [variant(own, param_grid=grid, **options)]


def curves(learner, rows, counts, seed, selections):
    """Return accuracies and log losses at these numbers of labels, and the learner.

    There is one curve for each way to choose the model, "" being the learner's own.
    """
    X, y, X_test, y_test = rows
    learner.set_params(n_initial=counts[0], budget=counts[-1], random_state=seed)
    scores = {name: [] for name in selections}

    def score():
        for name, found in scores.items():
            model = learner
            if name and learner._ledger.labelled.has_two_classes:
                model = copy(learner)
                model.selection = SELECTIONS[name]
                model._parts = None  # made again, for another selection
                model._check_parameters()
                if model._state.can_train:
                    model._set_state(model._state.train(model._parts))
            p = model.predict_proba(X_test)
            accuracy = np.mean(model.predict(X_test) == y_test)
            loss = log_loss(y_test, p, labels=learner.classes_)
            found.append([float(accuracy), float(loss)])

    def oracle(asked):
        if learner.n_queries_ in counts:
            score()
        return y[asked]

    learner.learn(X, oracle, classes=np.unique(y))
    score()
    return scores, learner


def trial(problem, penalty, method, number, counts, folder, rows):
    """Run a method once, or read what it found; return that as a dict."""
    run, selection = VARIANTS.get(method, (method, ""))
    name = (problem, penalty, counts[0], counts[-1], run, number)
    compute = partial(measure, problem, penalty, run, number, counts, rows)
    out = stored(folder, name, compute)
    return {**out, "scores": out["scores"][selection]}


def measure(problem, penalty, run, number, counts, rows):
    """Run a method once."""
    started = process_time()
    rows = split(*rows, number)
    several = run in RUNS and problem != "pima"  # where a training takes milliseconds
    found = [
        curves(learner, rows, counts, number, SELECTIONS if several else [""])
        for learner in learners(problem, penalty, run)
    ]
    out = {
        "scores": {name: [one[name] for one, _ in found] for name in found[0][0]},
        "seconds": process_time() - started,
    }
    if run in RUNS:
        ((_, learner),) = found
        out["is_validation"] = (learner.allocation_ == "validation").tolist()
        out["probabilities"] = learner.model_probabilities_.tolist()
        out["values"] = learner.voi_history_.tolist()
        out["best_index"] = learner.best_index_
    return out


def counts_of(initial, labels):
    """Return the numbers of labels at which learners are scored."""
    later = range(10, labels + 1, EVERY)
    return [initial, *(count for count in later if count > initial)]


def runs_on(problem, method):
    """Return whether a method is there for a problem: few are for pima's machines."""
    return problem != "pima" or method == "ALMS" or method not in VARIANTS


def check(args, problems):
    """Refuse what would fail or mean nothing, before anything is measured."""
    if args.labels <= args.initial:
        args.error(f"--labels is {args.labels}, but --initial is {args.initial}.")
    if args.labels % EVERY:
        args.error(f"--labels is {args.labels}, but must be a multiple of {EVERY}.")
    for name in problems:
        for method in args.method or ():
            if not runs_on(name, method):
                args.error(f"--method {method!r} is not there for {name}.")
        if name == "pima" and args.penalty != "sum":
            args.error("--problem pima needs --penalty sum: C is beside the sum.")
        (n_rows, *_) = data.UCI[name][-1] if name in data.UCI else (2 * POOL,)
        n_pool = min(POOL, n_rows // 2)
        if args.labels > n_pool:
            args.error(f"--labels is {args.labels}, but {name} has {n_pool} to buy.")


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        jobs=1,
        trials=at_least(1, 30),
        problem=LOAD,
        method=METHODS,
        penalty=one_of(("sum", "mean"), "mean"),
        initial=at_least(2, 10),
        labels=at_least(10 + EVERY, 100),
        cache=Path,
        results=Path,
    )
    load = LOAD
    if args.quick:
        load, args.labels, args.trials = {"heart": toy}, 15, 2
        args.problem = ["heart"]
        args.method = ["passive", "ALMS", "ALMS, expected, CV", "oracle"]
    problems = args.problem or [name for name in LOAD if name != "pima"]
    check(args, problems)
    counts = counts_of(args.initial, args.labels)
    numbers = range(FIRST, FIRST + args.trials)
    results_to = Results(args.results, "alms", argv, f"{FIRST} to {numbers[-1]}")
    key, parts, pooled_data = ("problem", "penalty", "initial"), [], []
    for problem in problems:
        run = partial(
            trial, problem, args.penalty,
            counts=counts, folder=args.cache, rows=load[problem](),
        )  # fmt: skip
        names = args.method or [name for name in USUAL if runs_on(problem, name)]
        tasks = [(method, number) for number in numbers for method in names]
        found = Parallel(n_jobs=args.jobs)(delayed(run)(*task) for task in tasks)
        results = {
            method: [
                one
                for (name, _), one in zip(tasks, found, strict=True)
                if name == method
            ]
            for method in names
        }
        heights = heights_of(results, counts)
        if problem != "pima":
            parts.append((results, heights))
            pooled_data += DATA.checksums
        rows = summary(problem, args.penalty, results, heights, counts)
        tables = [
            (rows, of_trials(rows, heights)),
            in_time(rows, results, counts),
            of_models(rows, results),
            (of_single(rows, results, counts), ()),
        ]
        for (name, more), (part, each) in zip(FILES.items(), tables, strict=True):
            one_key = (*key, *more)
            results_to.write(name, part, key=one_key, runs=args.trials, each=each)
    if len(parts) > 1:
        rows = summary(POOLED, args.penalty, *pooled(parts), counts)
        if not args.problem:
            name, more = next(iter(FILES.items()))
            runs = args.trials * len(parts)
            DATA.use(pooled_data)
            results_to.write(name, rows, key=(*key, *more), runs=runs)


if __name__ == "__main__":
    main()
