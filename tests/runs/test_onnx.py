"""Models elsewhere: what a learner has learned, as ONNX."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sklearn_activelearn import (
    CBGZClassifier,
    MarginLossClassifier,
    MinMarginClassifier,
    RLSSamplingClassifier,
    UncertaintySamplingClassifier,
)

SNIPPETS = Path(__file__).resolve().parents[2] / "docs" / "snippets"
as_linear_model = runpy.run_path(str(SNIPPETS / "deploy.py"))["as_linear_model"]
X, y = load_digits(return_X_y=True)
STREAMS = [CBGZClassifier(), MarginLossClassifier(), RLSSamplingClassifier()]
POOLS = [MinMarginClassifier(budget=60), UncertaintySamplingClassifier(budget=60)]


def of_two_classes(y, is_two):
    return np.where(y < 5, "few", "many") if is_two else y


@pytest.mark.parametrize("is_two", [True, False])
@pytest.mark.parametrize("learner", STREAMS, ids=lambda each: type(each).__name__)
def test_a_stream_learner_is_a_linear_model(learner, is_two):
    learner.set_params(random_state=0).fit(X, of_two_classes(y, is_two))
    found = as_linear_model(learner).predict(X)
    assert found.tolist() == learner.predict(X).tolist()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the converter warns of its dependencies
@pytest.mark.parametrize("is_two", [True, False])
@pytest.mark.parametrize("learner", [*STREAMS, *POOLS], ids=lambda e: type(e).__name__)
def test_onnx_predicts_what_the_learner_predicts(learner, is_two):
    skl2onnx = pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    is_pool = learner in POOLS
    if is_pool:
        learner.set_params(batch_size=20)
    learner.set_params(random_state=0).fit(X, of_two_classes(y, is_two))
    model = learner.estimator_ if is_pool else as_linear_model(learner)
    single = X.astype(np.float32)
    onnx = skl2onnx.to_onnx(model, single[:1]).SerializeToString()
    session = runtime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    (name,) = [each.name for each in session.get_inputs()]
    labels = session.run(None, {name: single})[0]
    assert np.mean(labels == learner.predict(X)) > 0.998
