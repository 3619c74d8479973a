"""A share of each purchase is random, and says so."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare
from sklearn.linear_model import Perceptron

from sklearn_activelearn import (
    MinMarginClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from tests.tools import NaiveBayes

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
y = (X[:, 0] > 0).astype(int)
QUICK = Perceptron(max_iter=5, tol=None)


def asked(learner):
    """Return purposes, probabilities and row numbers of all requests, in order."""
    record = learner.record()
    columns = ("purposes", "probabilities", "rows")
    return [np.array(record[name]) for name in columns]


def taught(learner, n=12):
    """Return the learner with n labels that nobody asked for."""
    return learner.teach(X[:n], y[:n])


@pytest.mark.parametrize(
    ("explore", "batch_size", "counts"),
    [
        (0.5, 10, {5}),
        (0.25, 10, {2, 3}),
        (0.2, 1, {0, 1}),
        (1.0, 4, {4}),
        (0.0, 4, {0}),
    ],
)
def test_as_many_as_the_share_says(explore, batch_size, counts):
    seen = []
    for seed in range(30):
        params = {"batch_size": batch_size, "explore": explore, "random_state": seed}
        learner = taught(MinMarginClassifier(QUICK, **params))
        how = {"return_probability": True, "return_utility": True}
        rows, probabilities, utilities = learner.query(X, **how)
        purposes = asked(learner)[0][12:]
        is_random = purposes == "explored"
        seen.append(is_random.sum())
        assert len(rows) == batch_size == len(set(rows))
        np.testing.assert_array_equal(is_random, np.isnan(utilities))
        np.testing.assert_array_equal(probabilities[~is_random], 1)
        np.testing.assert_allclose(probabilities[is_random], explore * batch_size / 48)
        # the others are those that are worth most
        left = np.setdiff1d(np.arange(12, 60), rows[is_random])
        margins = abs(learner.decision_function(X[left]))
        best = left[np.argsort(margins)[: (~is_random).sum()]]
        assert set(rows[~is_random]) == set(best)
    assert set(seen) == counts
    if len(counts) == 2:
        share = explore * batch_size % 1
        n_more = sum(np.array(seen) == max(counts))
        assert binomtest(int(n_more), 30, share).pvalue > 1e-3


def test_every_row_is_as_likely():
    counts = np.zeros(60)
    for seed in range(100):
        learner = MinMarginClassifier(
            QUICK, batch_size=8, explore=0.5, random_state=seed
        )
        taught(learner).query(X, exclude=[59])
        purposes, _, rows = asked(learner)
        counts[rows[purposes == "explored"].astype(int)] += 1
    assert counts[:12].sum() == counts[59] == 0
    assert chisquare(counts[12:59]).pvalue > 1e-3


def test_rows_that_are_not_scored_are_explored_too():
    found = set()
    for seed in range(60):
        learner = UncertaintySamplingClassifier(
            NaiveBayes(), n_candidates=8, batch_size=4, explore=0.5, random_state=seed
        )
        rows, probabilities = taught(learner).query(X, return_probability=True)
        is_random = asked(learner)[0][12:] == "explored"
        np.testing.assert_allclose(probabilities, np.where(is_random, 2 / 48, 1))
        found.update(rows[is_random])
    assert len(found) > 40


def test_first_rows_that_cover_are_explored_too():
    settings = {"n_initial": 6, "batch_size": 3, "explore": 1 / 3, "budget": 9}
    learner = UncertaintyHerdingClassifier(random_state=0, **settings).fit(X, y)
    purposes, probabilities, _ = asked(learner)
    is_random = purposes == "explored"
    assert is_random[:6].sum() == 2
    assert is_random[6:].sum() == 1
    np.testing.assert_allclose(probabilities[:6], np.where(is_random[:6], 2 / 60, 1))


def test_first_rows_that_are_random_are_no_part_of_it():
    learner = MinMarginClassifier(n_initial=6, explore=0.5, budget=6).fit(X, y)
    assert set(asked(learner)[0]) == {""}


def test_enough_candidates_are_left_for_the_end_of_the_budget():
    for seed in range(21, 27):  # the second batch is cut to 3 of 6 rows
        learner = UncertaintySamplingClassifier(
            n_candidates=1, n_initial=2, batch_size=10, explore=0.8, budget=5,
            random_state=seed,
        )  # fmt: skip
        assert learner.fit(X[:8], y[:8]).n_queries_ == 5
