"""Rules that scikit-activeml has, too, choose the same rows with the same values."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    QueryByCommitteeClassifier,
    UncertaintySamplingClassifier,
)

peers = pytest.importorskip("skactiveml.pool")

X, y = make_classification(
    120, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=0
)


def same(X):
    """Return the rows, as points whose scale is that of the values."""
    return X


@pytest.mark.parametrize("n_known", [0, 7])
def test_first_rows_that_cover_are_those_of_maxherding(n_known):
    learner = UncertaintySamplingClassifier(
        initial="herding", embedding=same, n_initial=30, random_state=0
    )
    labels = np.full(len(X), np.nan)
    if n_known:
        learner.teach(X[:n_known], y[[0] * n_known])
        labels[:n_known] = 0
    rows, gains = learner.query(X, limit=20, return_utility=True)
    herding = peers.MaxHerding(
        normalize_samples=False,
        metric_dict={"gamma": 1 / np.median(pdist(X, "sqeuclidean"))},
        random_state=0,
    )
    _, utilities = herding.query(X, labels, batch_size=20, return_utilities=True)
    best = np.nanmax(utilities, axis=1)
    n_left = len(X) - n_known  # it takes the mean over the rows without a label
    np.testing.assert_allclose(gains * len(X), best * n_left)
    np.testing.assert_allclose(utilities[np.arange(20), rows], best)  # some are tied


def test_vote_entropy_of_a_committee_whose_members_weigh_the_same():
    members = [(f"{s}", GaussianNB(var_smoothing=s)) for s in (1e-9, 0.1, 1.0, 9.0)]
    learner = QueryByCommitteeClassifier(
        estimators=members, cv=2, batch_size=40, random_state=0
    )
    learner.teach(X[:40], y[:40])
    learner.vote_weights_ = np.full(4, 0.25)
    rows, utilities = learner.query(X, return_utility=True)
    votes = np.stack([member.predict(X[rows]) for member in learner.estimators_], 1)
    expected = peers.vote_entropy(votes, learner.classes_)
    assert len(np.unique(expected.round(9))) > 2
    np.testing.assert_allclose(utilities, expected, atol=1e-12)
