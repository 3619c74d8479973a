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
    LabelAdvice,
    LabelCurve,
    LabelCurveComparison,
    LabelCurveDisplay,
    LabelsToTarget,
    LossDisplay,
    OnlineEstimate,
    Tuning,
    advice,
    compare_label_curves,
    label_curve,
    labels_to_target,
    online_score,
    tune_labels_to_target,
)
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.losses import LogRampLoss, make_loss
from sklearn_activelearn.pool import LabelPrice, NoError
from sklearn_activelearn.sources import ParquetSource

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
    LabelPrice(error=1.0, price=1.0)  # type: ignore[call-arg]
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


def of_curves(curve: LabelCurve, comparison: LabelCurveComparison) -> None:
    """Curves and comparisons."""
    label_curve(CBGZClassifier(), X, y, repeats=2)  # type: ignore[call-arg]
    label_curve(CBGZClassifier, X, y)  # type: ignore[arg-type]
    compare_label_curves(curve, curve, test="welch")  # type: ignore[arg-type]
    compare_label_curves(curve, curve, level=0.9)  # type: ignore[call-arg]
    labels_to_target(curve, target=0.1)  # type: ignore[call-arg]
    curve.labels  # type: ignore[attr-defined]
    curve.means  # type: ignore[attr-defined]
    curve.labels_for("0.1")  # type: ignore[arg-type]
    comparison.pvalue  # type: ignore[attr-defined]
    comparison.area_mean.lower()  # type: ignore[attr-defined]
    LabelCurveDisplay.from_curves(curve, colour="red", target="a")  # type: ignore[arg-type]
    LabelCurveDisplay(curve).plot(kind="errors")  # type: ignore[arg-type]
    LossDisplay.from_loss(["hinge"])  # type: ignore[attr-defined]


def of_results(
    needed: LabelsToTarget, tuning: Tuning[CBGZClassifier], online: OnlineEstimate
) -> None:
    """Fields of results."""
    needed.failed  # type: ignore[attr-defined]
    tuning.best_param  # type: ignore[attr-defined]
    tuning.best_estimator.budgets  # type: ignore[attr-defined]
    tuning.results[0][1].median  # type: ignore[attr-defined]
    tune_labels_to_target(CBGZClassifier(), {}, X, y, target=0.1)  # type: ignore[call-arg]
    online.lower  # type: ignore[attr-defined]
    online_score(MinMarginClassifier())  # type: ignore[arg-type]
    online_score(CBGZClassifier(), windows=3)  # type: ignore[call-arg]
    worth: LabelAdvice = advice([(1, y)], y)
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
