"""The guarantees of every learner, on the rows of `check_learner` and on random rows.

The code of most guarantees is the same for a family of learners: on random rows one
learner stands for its family, and with the profile `explore` each for itself.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.utils import get_tags

from sklearn_activelearn import (
    CBGZClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)
from sklearn_activelearn.testing import _guarantees as guarantees
from sklearn_activelearn.testing import check_learner
from sklearn_activelearn.testing._guarantees import (
    CHECKS,
    make_problems,
    with_small_budget,
)
from tests.learners import (
    DEFAULTS,
    FAMILIES,
    LEARNERS,
    POOL_LEARNERS,
    checks_of,
    each,
    each_class_and_family_of,
    each_family,
    each_pool_family,
    each_stream_family,
    explores,
)
from tests.tools import (
    RecordingOracle,
    fresh,
    frozen,
    group_of,
    loop_over_pool,
    responses,
    state,
    streams,
    with_int64_indices,
)

SECOND_ORDER = RLSSamplingClassifier | SecondOrderPerceptronClassifier | SOLEClassifier


@pytest.mark.every_learner
@each(LEARNERS if explores() else [CBGZClassifier(budget=0.5), POOL_LEARNERS[-1]])
def test_check_learner(prototype):
    before = repr(vars(prototype))
    results = check_learner(prototype)
    assert repr(vars(prototype)) == before
    assert [result["check_name"] for result in results] == [c.__name__ for c in CHECKS]
    for check, result in zip(CHECKS, results, strict=True):
        is_checked = check in checks_of(prototype)
        assert result["status"] == ("passed" if is_checked else "skipped")
        assert result["exception"] is None


PROBLEMS = list(make_problems(get_tags(LEARNERS[0])))


@each_class_and_family_of(LEARNERS)
def test_every_guarantee(prototype):
    """Families have them on two classes and on three, others on either in turn."""
    is_whole, index = explores() or prototype in FAMILIES, LEARNERS.index(prototype)
    for k, check in enumerate(checks_of(prototype)):
        turn = (index + k) % len(PROBLEMS)
        for X, y in PROBLEMS if is_whole else PROBLEMS[turn : turn + 1]:
            check(with_small_budget(prototype, len(X)), X, y)


@each_family
@given(stream=streams(), seed=st.integers(0, 99), budget=st.integers(0, 20))
def test_guarantees_on_random_rows(prototype, stream, seed, budget):
    X, y = stream
    guarantees.check_simulation(fresh(prototype), X, y, uses_model=False)
    guarantees.check_unbought_labels(prototype, X, y, seed)
    guarantees.check_purity(prototype, X, y)
    asked = guarantees.check_budget_is_kept(prototype, X, y, budget)
    unlimited = fresh(prototype, budget=None).partial_fit(X, y, classes=np.unique(y))
    assert asked == unlimited.queried_indices_[:budget].tolist()


@each_stream_family
@given(stream=streams(), data=st.data())
def test_candidates_of_a_stream_are_its_order(prototype, stream, data):
    X, y = stream
    order = np.array(data.draw(st.permutations(range(len(X)))))[: max(len(X) - 3, 1)]
    oracle, classes = RecordingOracle(y), np.unique(y)
    learner = fresh(prototype).learn(X, oracle, classes, candidates=order)
    taken = fresh(prototype).learn(X[order], RecordingOracle(y[order]), classes)
    assert oracle.asked == order[taken.queried_indices_].tolist()
    assert learner.queried_indices_.tolist() == oracle.asked
    assert state(learner) == state(taken)


@each_pool_family
@given(stream=streams(), data=st.data())
def test_candidates_of_a_pool_may_be_bought(prototype, stream, data):
    X, y = stream
    order = np.array(data.draw(st.permutations(range(len(X)))))[: max(len(X) - 3, 1)]
    oracle, classes = RecordingOracle(y), np.unique(y)
    learner = fresh(prototype).learn(X, oracle, classes, candidates=order)
    looped, purchases = loop_over_pool(fresh(prototype), X, y, classes, np.sort(order))
    assert set(purchases) <= set(order.tolist())
    assert learner.queried_indices_.tolist() == oracle.asked == purchases
    if purchases:  # a share of few rows is none
        assert frozen(responses(learner, X)) == frozen(responses(looped, X))


@each_stream_family
@given(stream=streams(), data=st.data())
def test_chunks_do_not_matter(prototype, stream, data):
    n_groups = -(-len(stream[0]) // group_of(prototype))
    cuts = data.draw(st.sets(st.integers(1, n_groups), max_size=6))
    guarantees.check_chunks(prototype, *stream, sorted(cuts))


@each([row for row in DEFAULTS if getattr(row, "initial", "random") == "random"])
def test_the_seed_is_used(prototype):
    X = np.random.RandomState(0).standard_normal((40, 3))
    y = X[:, 0] > 0
    runs = {
        tuple(fresh(prototype, random_state=seed, budget=8).fit(X, y).queried_indices_)
        for seed in range(3)
    }
    assert len(runs) > 1


@each_stream_family
@given(stream=streams(min_features=2, values=9999, zeros=0.4))
def test_the_container_does_not_matter(prototype, stream):
    (X, y), slack = stream, None
    if isinstance(prototype, SECOND_ORDER):  # least squares on 1 and -1
        slack = 1e-9 if prototype.normalize else 1e-6  # A has condition |x|^2 ~ 1e9
        if not prototype.normalize:  # no more than that, also with a below 1
            X = X / 8
    converts = [
        csr_array,
        lambda X: X.astype(np.float32),
        lambda X: with_int64_indices(csr_array(X.astype(np.float32))),
        np.asfortranarray,
    ]
    guarantees.check_containers(prototype, X, y, converts, slack)
