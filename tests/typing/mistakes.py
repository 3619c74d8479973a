"""What a type checker must refuse; it complains of an ignore without an error."""

from typing import Any

import numpy as np

import sklearn_activelearn
from sklearn_activelearn import (
    CBGZClassifier,
    MinMarginClassifier,
    OnePassSearchCV,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.evaluation import (
    ActiveTest,
    Estimate,
    LabelCurve,
    LabelCurveDisplay,
    LossDisplay,
    advice,
    label_curve,
    online_score,
    tune_labels_to_target,
)
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.losses import LogRampLoss, make_loss
from sklearn_activelearn.pool import (
    Known,
    LabelPrice,
    NoError,
    OneModel,
    PoolClassifier,
    Progress,
    Purchase,
    StoppingRule,
    Trained,
    Trainer,
)
from sklearn_activelearn.sources import ParquetSource, Source
from sklearn_activelearn.stream import (
    Clock,
    ConstantRule,
    InverseMarginRule,
    LossUpdate,
    PerceptronUpdate,
    QueryRule,
    StreamClassifier,
    UpdateRule,
)
from sklearn_activelearn.testing import check_learner

X, y = np.eye(3), np.arange(3)


def of_names() -> None:
    """Names that are not there."""
    from sklearn_activelearn import NoSuchClassifier  # type: ignore[attr-defined]

    sklearn_activelearn.pools  # type: ignore[attr-defined]
    sklearn_activelearn.MinMargin  # type: ignore[attr-defined]
    print(NoSuchClassifier)


def of_parameters() -> None:
    """Parameters that a learner has not, and values that they do not take."""
    MinMarginClassifier(n_inital=4)  # type: ignore[call-arg]
    MinMarginClassifier(budget="100")  # type: ignore[arg-type]
    MinMarginClassifier(initial="hearding")  # type: ignore[arg-type]
    MinMarginClassifier(stopping=3)  # type: ignore[arg-type]
    MinMarginClassifier(estimator="svm")  # type: ignore[arg-type]
    UncertaintySamplingClassifier(measure="entropie")  # type: ignore[arg-type]
    CBGZClassifier(B=0.1)  # type: ignore[call-arg]
    CBGZClassifier(b="adaptative")  # type: ignore[arg-type]
    OnePassSearchCV(CBGZClassifier(), {"b": [1.0]}, folds=3)  # type: ignore[call-arg]
    LabelPrice(cost=1.0, price=1.0)  # type: ignore[call-arg]
    NoError(n_label=3)  # type: ignore[call-arg]
    LogRampLoss(s=1.0)  # type: ignore[call-arg]
    make_loss(3)  # type: ignore[arg-type]
    ParquetSource("rows.parquet", column=["a"])  # type: ignore[call-arg]


def of_verbs(pool: MinMarginClassifier, stream: CBGZClassifier) -> None:
    """Verbs, their keywords and what they return."""
    pool.querry(X)  # type: ignore[attr-defined]
    pool.query(X, candidate=[1])  # type: ignore[call-overload]
    pool.query(X, return_probabilities=True)  # type: ignore[call-overload]
    pool.query(X).tolists()  # type: ignore[attr-defined]
    pool.query(X, limit=1, return_probability=True).tolist()  # type: ignore[attr-defined]
    stream.query(X, return_utility=True)  # type: ignore[call-overload]
    pool.teach(X, y, labels=y)  # type: ignore[call-arg]
    pool.teach(X)  # type: ignore[call-arg]
    pool.teach(None, y)  # type: ignore[arg-type]
    pool.skip(X, refunded=True)  # type: ignore[call-arg]
    pool.skip(X, id=[1])  # type: ignore[call-arg]
    pool.query(X, id=[1])  # type: ignore[call-overload]
    pool.learn(X, oracle=3)  # type: ignore[arg-type]
    pool.learn(X, lambda rows: y[rows], excluded=[1])  # type: ignore[call-arg]
    stream.correct(X, y)  # type: ignore[attr-defined]
    pool.fit(X, y, sample_weight=y)  # type: ignore[call-arg]
    pool.fitt(X, y)  # type: ignore[attr-defined]
    pool.predict(X).lower()  # type: ignore[attr-defined]
    pool.predict_probability(X)  # type: ignore[attr-defined]
    pool.score(X, y, weight=y)  # type: ignore[call-arg]
    pool.get_params(True).budget  # type: ignore[attr-defined]
    print(pool.n_querys_, pool.stop_reason)  # type: ignore[attr-defined]
    print(stream.coefs_)  # type: ignore[attr-defined]
    pool.stop_reason_.upper()  # type: ignore[union-attr]


def of_curves(curve: LabelCurve) -> None:
    """Curves and comparisons."""
    label_curve(CBGZClassifier(), X, y, repeats=2)  # type: ignore[call-arg]
    label_curve(CBGZClassifier, X, y)  # type: ignore[arg-type]
    curve.compare(curve, test="welch")  # type: ignore[arg-type]
    comparison = curve.compare(curve, level=0.9)  # type: ignore[call-arg]
    curve.labels_to_target(target=0.1)  # type: ignore[call-arg]
    curve.labels  # type: ignore[attr-defined]
    curve.means  # type: ignore[attr-defined]
    curve.labels_for("0.1")  # type: ignore[arg-type]
    comparison.pvalue  # type: ignore[attr-defined]
    comparison.area_mean.lower()  # type: ignore[attr-defined]
    LabelCurveDisplay(curve, target="a")  # type: ignore[arg-type]
    LabelCurveDisplay(curve).plot(kind="errors")  # type: ignore[arg-type]
    LossDisplay.from_losses(["hinge"])  # type: ignore[attr-defined]


def of_results(curve: LabelCurve, online: Estimate) -> None:
    """Fields of results."""
    curve.labels_to_target(0.1).failed  # type: ignore[attr-defined]
    tuning = tune_labels_to_target(CBGZClassifier(), {}, X, y, error=0.1)
    tuning.best_param  # type: ignore[attr-defined]
    tuning.best_estimator.budgets  # type: ignore[attr-defined]
    tuning.results[0][1].median  # type: ignore[attr-defined]
    tune_labels_to_target(CBGZClassifier(), {}, X, y, target=0.1)  # type: ignore[call-arg]
    online.lower  # type: ignore[attr-defined]
    online_score(MinMarginClassifier())  # type: ignore[arg-type]
    online_score(CBGZClassifier(), windows=3)  # type: ignore[call-arg]
    worth = advice([(1, y)], y)
    worth.gains  # type: ignore[attr-defined]
    worth.gain.upper  # type: ignore[attr-defined]
    test = ActiveTest(CBGZClassifier(), surrogates=None)  # type: ignore[call-arg]
    test.estimate(level=0.9)  # type: ignore[call-arg]
    test.query(X, n=3)  # type: ignore[call-arg]
    test.estimate().n_label  # type: ignore[attr-defined]


def of_sessions(session: LabelingSession[MinMarginClassifier], model: Any) -> None:
    """Sessions and what they return."""
    LabelingSession(CBGZClassifier(), X, "file", vote=2)  # type: ignore[call-arg]
    LabelingSession(CBGZClassifier(), X, "file", ahead=2)  # type: ignore[arg-type]
    LabelingSession(CBGZClassifier(), X, "file", change="x")  # type: ignore[arg-type]
    LabelingSession(3, X, "file")  # type: ignore[type-var]
    session.nxt()  # type: ignore[attr-defined]
    session.label("a", "yes", whom="me")  # type: ignore[call-arg]
    session.label(None, "yes")  # type: ignore[arg-type]
    session.status().answers  # type: ignore[attr-defined]
    session.status().by_class.most_common()  # type: ignore[attr-defined]
    session.predictions().probability  # type: ignore[attr-defined]
    session.curve()[0].n_label  # type: ignore[attr-defined]
    session.learner.n_querys_  # type: ignore[attr-defined]
    session.stop_reason_  # type: ignore[attr-defined]


class PoolHooks(PoolClassifier):
    """Hooks of a pool learner: a misspelt one is a new method, a wrong one is not."""

    _needs = 3  # type: ignore[assignment]

    def _utility(self, X: Any) -> str:  # type: ignore[override]
        return "much"

    def _make_trainer(self) -> str:  # type: ignore[override]
        return "mine"

    def _select(self, X: Any, rows: Any) -> Purchase:  # type: ignore[override]
        return Purchase(rows)  # type: ignore[call-arg]


class TrainerHooks(Trainer):
    """Hooks of a trainer."""

    keeps_pool = "yes"  # type: ignore[assignment]

    def train(self, known: Known) -> Trained:  # type: ignore[override]
        known.label  # type: ignore[attr-defined]
        known.prototype  # type: ignore[attr-defined]
        known.labelled.code  # type: ignore[attr-defined]
        known.pool.unlabeled  # type: ignore[attr-defined]
        return Trained(known, attribute={})  # type: ignore[call-arg]


class StoppingHooks(StoppingRule):
    """Hooks of a stopping rule."""

    needs = "predict"  # type: ignore[assignment]

    def judge(self, progress: Progress, memory: Any) -> bool:  # type: ignore[override]
        progress.label  # type: ignore[attr-defined]
        progress.of_rest(len)  # type: ignore[attr-defined]
        return True


class QueryHooks(QueryRule):
    """Hooks of a query rule."""

    uses_norm = "l2"  # type: ignore[assignment]

    def probability(self, margin: float) -> float:  # type: ignore[override]
        return margin

    def observe(
        self,
        margin: float,
        norm: float,
        clock: Clock,
        memory: list[float],  # type: ignore[override]
    ) -> None:
        clock.n_query  # type: ignore[attr-defined]
        clock.n_seen_  # type: ignore[attr-defined]


class UpdateHooks(UpdateRule):
    """Hooks of an update rule."""

    def step(self, z: float, squared_norm: float) -> float:  # type: ignore[override]
        return z


class StreamHooks(StreamClassifier):
    """Hooks of a stream learner."""

    def _make_rules(self) -> QueryRule:  # type: ignore[override]
        return ConstantRule(0.5)


class SourceHooks(Source):
    """Hooks of a source."""

    def _take(self, rows: str) -> str:  # type: ignore[override]
        return rows


def of_extensions(bought: Purchase, rule: QueryRule, trained: Trained) -> None:
    """What extensions get and make."""
    bought.row  # type: ignore[attr-defined]
    bought.utility  # type: ignore[attr-defined]
    bought.probabilities.tolists()  # type: ignore[attr-defined]
    trained.attribute  # type: ignore[attr-defined]
    trained.attributes.append(3)  # type: ignore[attr-defined]
    Clock(n_rows=3)  # type: ignore[call-arg]
    rule.use_norm  # type: ignore[attr-defined]
    rule.is_python = True  # type: ignore[misc]
    rule.probability(1.0, norm=1.0, clock=None, memory=[])  # type: ignore[arg-type]
    ConstantRule(p=0.3)  # type: ignore[call-arg]
    InverseMarginRule("b")  # type: ignore[arg-type]
    PerceptronUpdate(eta=1.0)  # type: ignore[call-arg]
    LossUpdate("hinge")  # type: ignore[arg-type]
    OneModel(3)  # type: ignore[arg-type]
    OneModel(CBGZClassifier(), incrementally=True)  # type: ignore[call-arg]
    PoolClassifier(budgets=3)  # type: ignore[call-arg]
    StreamClassifier(averaged=True)  # type: ignore[call-arg]
    check_learner(MinMarginClassifier(), on_error="raise")  # type: ignore[call-arg]
    check_learner(MinMarginClassifier(), on_fail="warn")  # type: ignore[arg-type]
    check_learner(MinMarginClassifier)  # type: ignore[arg-type]
    check_learner(CBGZClassifier()).status  # type: ignore[attr-defined]
