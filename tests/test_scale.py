"""Numbers of any size: columns that the default models cannot learn from."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from sklearn_activelearn import (
    ALMSClassifier,
    BlendClassifier,
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    RankAverageClassifier,
    RelevanceSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)

X = np.random.default_rng(0).normal(size=(80, 4))
Y = np.where(X[:, 0] > 0, "yes", "no")

DEFAULTS = [
    ALMSClassifier, BlendClassifier, HybridSamplingClassifier, MinMarginClassifier,
    PassiveClassifier, QueryByCommitteeClassifier, RankAverageClassifier,
    RelevanceSamplingClassifier, UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
]  # fmt: skip


def stretched(size, column=2):
    out = X.copy()
    out[:, column] *= size
    return out


@pytest.mark.parametrize("size", [1e51, 1e307])
@pytest.mark.parametrize("kind", DEFAULTS)
def test_default_models_name_a_column_that_is_too_large(kind, size):
    message = r"Column 2 of X has numbers up to \d.*Scale the features"
    with pytest.raises(ValueError, match=message):
        kind().fit(stretched(size), Y)


@pytest.mark.parametrize("container", [csr_array, pd.DataFrame])
def test_in_other_containers(container):
    learner, rows = MinMarginClassifier(), container(stretched(-1e100))
    if container is pd.DataFrame:
        rows.columns = [*"abcd"]
    with pytest.raises(ValueError, match=r"Column (2|'c') of X has numbers up to"):
        learner.query(rows)
    assert not hasattr(learner, "n_pending_")  # nothing was bought


def test_numbers_of_other_sizes_are_taken():
    for size in (1e-300, 1e-30, 1e30, 1e49):
        learner = HybridSamplingClassifier(budget=15, random_state=0)
        assert learner.fit(stretched(size), Y).n_queries_ == 15
    counts = np.where(X > 0, 2**40, 0)
    assert MinMarginClassifier(budget=15).fit(counts, Y).n_queries_ == 15


def test_models_of_the_user_are_theirs():
    model = make_pipeline(MaxAbsScaler(), LogisticRegression())
    learner = UncertaintySamplingClassifier(model, budget=20, random_state=0)
    assert learner.fit(stretched(1e200), Y).n_queries_ == 20
    assert FASSLBoostClassifier(budget=20).fit(stretched(1e30), Y).n_queries_ == 20


def test_the_advice_works():
    for size, scaler in ((1e100, StandardScaler()), (1e200, MaxAbsScaler())):
        rows = scaler.fit_transform(stretched(size))
        learner = MinMarginClassifier(budget=40, random_state=0).fit(rows, Y)
        assert learner.score(rows, Y) > 0.9
