"""The second-order samplers against their numpy twin, their forms and numerics."""

import pickle
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import pairwise_kernels

from sklearn_activelearn import (
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)
from sklearn_activelearn.stream.second_order import _base, _state
from tests.learners import drawn_for
from tests.reference import second_order as twin
from tests.test_first_order import gaussian_stream
from tests.tools import RecordingOracle, all_verbs, fresh


def waves(margins):
    """Return probabilities that rise and fall with the margin."""
    return 0.4 + 0.3 * np.sin(9 * margins)


def rls(lam, variant, transient=False):
    """Return a learner and the rule of its twin."""
    learner = RLSSamplingClassifier(lam, variant=variant, transient=transient)
    return learner, lambda d: twin.small_margin(lam, *([d] if transient else []))


RULES = {
    "SSNL": rls(60.0, "next"),
    "SSNM": rls(60.0, "next_mistake"),
    "SSNM transient": rls(9.0, "next_mistake", transient=True),
    "SS": rls(60.0, "current"),
    "SSMD": rls(1000.0, "mistake"),
    "SSNL transient": rls(9.0, "next", transient=True),
    "SS transient": rls(9.0, "current", transient=True),
    "all": (RLSSamplingClassifier(variant="all"), lambda d: twin.everything()),
    "SOP": (SecondOrderPerceptronClassifier(0.7), lambda d: twin.everything()),
    "SOLE": (SOLEClassifier(0.1, a=0.7), lambda d: twin.label_efficient(0.1)),
    "SOLE margin": (
        SOLEClassifier(0.1, query_probability="margin"),
        lambda d: twin.label_efficient(0.1, potential=False),
    ),
    "SOLE waves": (
        SOLEClassifier(query_probability=waves, a=0.7),
        lambda d: twin.of_margin(waves),
    ),
}
KERNELS = {
    "linear": {}, "rbf": {"gamma": 0.2}, "poly": {"gamma": 0.5},
    "laplacian": {"gamma": 0.2}, "cosine": {},
}  # fmt: skip
OWN = {
    "linear": lambda X, Z: X @ Z.T,
    "rbf": lambda X, Z: np.exp(-0.2 * ((X[:, None] - Z) ** 2).sum(axis=2)),
    "poly": lambda X, Z: (0.5 * (X @ Z.T) + 1) ** 3,
    "laplacian": lambda X, Z: np.exp(-0.2 * np.abs(X[:, None] - Z).sum(axis=2)),
    "cosine": lambda X, Z: (
        X @ Z.T / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Z, axis=1))
    ),
}
flags = st.booleans()
seeds = st.integers(0, 2**32 - 1)


def each_rule(test):
    """Run over rules."""
    return pytest.mark.parametrize("rule", RULES)(drawn_for(len(RULES), test))


def run_twin(learner, rule, K, codes, n_classes, n_features, classes=None, model=None):
    """Run the twin with the parameters of a learner, and with its coins."""
    params = learner.get_params()
    if model is None:
        G = twin.gram(K, learner.normalize, learner.fit_intercept)
        model = twin.Ridge(G, codes, n_classes, params.get("a", 1.0))
    limits = {
        name: np.inf if params[name] is None else params[name]
        for name in ("budget", "patience", "max_stored")
    }
    return twin.run(
        model, codes, n_classes, RULES[rule][1](n_features + learner.fit_intercept),
        mistakes_only=params.get("variant", "mistake") == "mistake",
        next_row=params.get("variant") == "next",
        next_mistake=params.get("variant") == "next_mistake", seed=learner._coin_seed,
        classes=classes, **limits,
    )  # fmt: skip


def check_scores(learner, expected, X, K, rtol=1e-9):
    """Compare scores with the twin's, on the rows of the stream."""
    G = twin.gram(K, learner.normalize, learner.fit_intercept)
    scores = G[:, expected["held"]] @ expected["alpha"]
    found = learner.decision_function(X)
    if found.ndim == 1:
        scores = scores[:, 1]
    np.testing.assert_allclose(found, scores, atol=rtol * max(1, np.abs(scores).max()))


@each_rule
@given(
    seed=seeds, n_classes=st.integers(2, 4), scale=st.sampled_from([0.1, 1.0, 30.0]),
    solver=st.sampled_from(["auto", "dual", "primal"]), normalize=flags,
    fit_intercept=flags, sparse=flags, budget=st.sampled_from([None, 9]),
    patience=st.sampled_from([None, 5]), max_stored=st.sampled_from([None, None, 1, 6]),
)  # fmt: skip
def test_twin(rule, seed, n_classes, scale, max_stored, sparse, **params):
    X, codes = gaussian_stream(seed, n_classes, scale=scale)
    if not params["fit_intercept"]:
        X[seed % 7] = 0.0
    if params["solver"] != "primal":
        params["max_stored"] = max_stored
    learner = fresh(RULES[rule][0], random_state=seed, **params)
    rows, classes = csr_array(X) if sparse else X, np.arange(n_classes)
    learner.partial_fit(rows, codes, classes=classes)
    expected = run_twin(learner, rule, X @ X.T, codes, n_classes, X.shape[1])
    assert learner.queried_indices_.tolist() == expected["bought"]
    assert learner.n_queries_ == len(expected["bought"])
    assert learner.n_updates_ == expected["n_updates"]
    assert learner.n_seen_ == len(X)
    check_scores(learner, expected, rows, X @ X.T)
    scores = learner.decision_function(X).reshape(len(X), -1)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    rows = X / np.where(norms > 0, norms, 1) if learner.normalize else X
    np.testing.assert_allclose(
        rows @ learner.coef_.T + learner.intercept_, scores, atol=1e-9
    )


@each_rule
@given(
    kernel=st.sampled_from(sorted(KERNELS)), seed=seeds, n_classes=st.integers(2, 3),
    normalize=flags, fit_intercept=flags, sparse=flags, own=flags,
    max_stored=st.sampled_from([None, 5]),
)  # fmt: skip
def test_kernels(rule, kernel, seed, n_classes, sparse, own, **params):
    X, codes = gaussian_stream(seed, n_classes, n_rows=16, n_features=3)
    settings = KERNELS[kernel]
    K = pairwise_kernels(X, metric=kernel, filter_params=True, **settings)
    if own:  # "linear" goes through the kernel form, too

        def function(*rows):
            return OWN[kernel](*(X.toarray() if sparse else X for X in rows))

        params.update(kernel=function)
    else:
        params.update(kernel=kernel, **settings)
    rows = csr_array(X) if sparse else X
    learner = fresh(RULES[rule][0], random_state=seed, **params)
    learner.partial_fit(rows, codes, classes=np.arange(n_classes))
    expected = run_twin(learner, rule, K, codes, n_classes, X.shape[1])
    assert learner.queried_indices_.tolist() == expected["bought"]
    check_scores(learner, expected, rows, K)
    assert hasattr(learner, "coef_") == (kernel == "linear" and not own)


def test_a_row_whose_kernel_with_itself_is_zero_is_like_no_stored_row():
    X, codes = gaussian_stream(0, 2, n_rows=16, n_features=3)
    learner = RLSSamplingClassifier(
        60.0, kernel=lambda X, Z: (X @ Z.T) ** 2, fit_intercept=False, random_state=0
    ).fit(X, codes)
    assert learner.decision_function(X[:1]) != 0
    assert learner.decision_function(np.zeros((1, 3))) == 0


@given(n_features=st.integers(1, 30), sparse=flags)
def test_auto_moves_when_the_matrix_is_cheaper(n_features, sparse):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((40, n_features)) + 5  # no entry is 0
    learner = RLSSamplingClassifier(variant="all", random_state=0)
    learner.query(csr_array(X[:0]) if sparse else X[:0])
    for n in range(1, 41):
        row = csr_array(X[[n - 1]]) if sparse else X[[n - 1]]
        learner.teach(row, [n % 2], classes=[0, 1])
        held = n * (n + 1) // 2 + n * n_features
        assert learner.is_dual_ == (held < int(0.5 * (n_features + 1) ** 2))


def factor_of(learner):
    """Return the triangle of the dual form."""
    n = learner._learned.details.n_held
    return learner._learned.details.factor[: n * (n + 1) // 2]


@pytest.mark.parametrize("params", [{}, {"kernel": "poly"}], ids=str)
def test_many_forgotten_rows_leave_no_trace(params):
    n_rows = 150 if params else 2000
    X, codes = gaussian_stream(0, 2, n_rows=n_rows)
    X[::3] = X[0]  # one row comes again and again
    learner = RLSSamplingClassifier(variant="all", max_stored=12, **params)
    learner.teach(X, codes, classes=[0, 1])
    other = RLSSamplingClassifier(variant="all", solver="dual", **params)
    other.teach(X[-12:], codes[-12:], classes=[0, 1])
    np.testing.assert_allclose(factor_of(learner), factor_of(other), atol=1e-11)
    np.testing.assert_allclose(
        learner.decision_function(X), other.decision_function(X), atol=1e-10
    )


def exact_A(learner, X):
    """Return A of all rows, one constant feature appended."""
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    rows = X / np.where(norms > 0, norms, 1) if learner.normalize else X
    rows = np.column_stack([rows, np.full(len(X), float(learner.fit_intercept))])
    ridge = 2 if learner.normalize and learner.fit_intercept else 1
    return ridge * np.eye(rows.shape[1]) + rows.T @ rows, rows


#: What random rows become, and parameters.
NUMERICS = {
    "gaussian": (lambda X: X, {}),
    "no intercept": (lambda X: X, {"fit_intercept": False}),
    "three rows": (lambda X: np.tile(X[:3], (10_000, 1)), {}),
    "one row": (lambda X: np.tile(X[:1], (30_000, 1)), {}),
    "uneven": (lambda X: X * np.logspace(-3, 3, 20), {"normalize": False}),
    "with zero rows": (lambda X: X * (X[:, :1] > 0), {}),
}


@pytest.mark.filterwarnings("ignore::sklearn_activelearn.exceptions.OneClassWarning")
@pytest.mark.parametrize("name", NUMERICS)
def test_the_inverse_stays_one(name):
    make, params = NUMERICS[name]
    rng = np.random.RandomState(0)
    X = make(rng.standard_normal((30_000, 20)))
    y = (X @ rng.standard_normal(20) + rng.standard_normal(len(X)) > 0).astype(int)
    learner = RLSSamplingClassifier(variant="all", solver="auto", **params)
    learner.partial_fit(X, y, classes=[0, 1])
    assert learner.n_updates_ == len(X)
    assert not learner.is_dual_
    triangle = np.tril(learner._learned.details.matrix)
    inverse = triangle + np.tril(triangle, -1).T
    A, rows = exact_A(learner, X)
    assert np.linalg.norm(A @ inverse - np.eye(21)) <= 1e-8 * 21
    w = np.linalg.solve(A, rows.T @ (2.0 * y - 1))
    found = np.append(learner.coef_, learner.intercept_)
    np.testing.assert_allclose(found, w, atol=1e-6 * np.abs(w).max())


@pytest.mark.parametrize("rule", ["SSNM", "SS transient", "SOP", "SOLE"])
@pytest.mark.parametrize("solver", ["dual", "primal"])
@pytest.mark.parametrize("norm", [1e-150, 1e4, 1e100])
def test_rows_of_extreme_norms(rule, solver, norm):
    X, codes = gaussian_stream(5, 2)
    X *= norm
    learner = fresh(RULES[rule][0], solver=solver, normalize=False)
    if norm == 1e100:
        with pytest.raises(ValueError, match=r"Row \d+ of X: .* [Ss]cale the rows"):
            learner.partial_fit(X, codes, classes=[0, 1])
    else:
        learner.partial_fit(X, codes, classes=[0, 1])
        assert np.isfinite(learner.decision_function(X)).all()
        assert learner.n_queries_ >= 1
    same = fresh(RULES[rule][0], solver=solver).partial_fit(X, codes, classes=[0, 1])
    unit = fresh(RULES[rule][0], solver=solver).partial_fit(
        X / norm, codes, classes=[0, 1]
    )
    np.testing.assert_array_equal(same.queried_indices_, unit.queried_indices_)


@pytest.mark.parametrize("variant", ["next", "next_mistake", "current"])
@pytest.mark.parametrize("in_chunks", [False, True])
def test_the_transient_stores_every_row(variant, in_chunks):
    X, codes = gaussian_stream(3, 2)
    learner = RLSSamplingClassifier(0.1, variant=variant, transient=True)
    if in_chunks:  # a fresh learner asks for the first row alone
        learner.partial_fit(X[:20], codes[:20], classes=[0, 1])
        for start in (20, 40):
            rows = start + learner.query(X[start : start + 20])
            learner.teach(X[rows], codes[rows])
    else:
        learner.partial_fit(X, codes, classes=[0, 1])
    assert learner.n_queries_ == learner.n_updates_ == len(X)


@pytest.mark.parametrize("solver", ["dual", "primal"])
def test_before_anything_is_stored(solver):
    X = np.array([[1.0, 2.0], [3.0, -1.0]])
    learner = RLSSamplingClassifier(solver=solver, fit_intercept=False)
    rows, q = learner.query(X[:1], return_probability=True)  # t = 1, N = 0
    assert rows.tolist() == [0]
    assert q.tolist() == [1.0]
    learner.teach(X[:0], [], classes=[0, 1])
    assert learner.decision_function(X).tolist() == [0, 0]
    assert learner.predict(X).tolist() == [0, 0]
    assert learner.predict_proba(X).tolist() == [[0.5, 0.5]] * 2
    learner.teach(X, [0, 1])
    learner.query(X)
    # the first row of a fresh clock has ln t = 0: only a margin of 0 is small
    taught = RLSSamplingClassifier(solver=solver).teach(X, [0, 1], classes=[0, 1])
    assert taught.query(X[:1]).size == 0


@given(seed=seeds, n_classes=st.integers(2, 4))
def test_probabilities_are_the_noise_model(seed, n_classes):
    X, codes = gaussian_stream(seed, n_classes)
    learner = RLSSamplingClassifier(variant="all").fit(X, codes)
    scores, q = learner.decision_function(X), learner.predict_proba(X)
    np.testing.assert_allclose(q.sum(axis=1), 1)
    assert np.all(q > 0)
    np.testing.assert_array_equal(
        learner.classes_[q.argmax(axis=1)], learner.predict(X)
    )
    if n_classes == 2:
        inside = np.abs(scores) <= 0.9
        np.testing.assert_allclose(q[inside, 1], (1 + scores[inside]) / 2, rtol=1e-12)


def test_probabilities_rise_with_the_score():
    X = np.array([[1.0]])
    learner = RLSSamplingClassifier(variant="all", normalize=False, fit_intercept=False)
    learner.teach(X, [1], classes=[0, 1])
    scores = np.linspace(-4, 4, 8001)
    q = learner.predict_proba(scores[:, None] / learner.coef_[0, 0])[:, 1]
    steps = np.diff(q) / np.diff(scores)
    assert np.all(steps > 0)
    assert np.all(steps < 0.5 + 1e-9)
    assert np.abs(np.diff(steps)).max() < 0.011  # the slope does not jump
    np.testing.assert_allclose(q + q[::-1], 1)
    assert not hasattr(RLSSamplingClassifier(variant="mistake"), "predict_proba")


@given(seed=seeds)
def test_sole_reports_the_probability_of_the_full_formula(seed):
    X, codes = gaussian_stream(seed, 2)
    learner = SOLEClassifier(0.3, a=0.5, solver="primal", random_state=seed).fit(
        X, codes
    )
    A = np.tril(learner._learned.details.matrix)
    inverse = A + np.tril(A, -1).T
    rows, q = learner.query(X, return_probability=True)
    z = np.column_stack([X / np.linalg.norm(X, axis=1, keepdims=True), np.ones(len(X))])
    z = z[rows]
    r = np.einsum("ij,jk,ik->i", z, inverse, z)
    m = np.abs(learner.decision_function(X))[rows]
    np.testing.assert_allclose(q, 0.3 / (0.3 + (m + m**2 / 2) / (1 + r)), rtol=1e-9)


@pytest.mark.parametrize(
    ("module", "name", "params"),
    [
        (_state, "with_room", {"solver": "dual"}),
        (_state, "with_room", {"kernel": "rbf"}),
        (_state, "with_room", {"kernel": "rbf", "max_stored": 4}),
        (_state, "with_room", {"solver": "coordinate_descent"}),
        (_state, "cho_factor", {}),
        (_state, "csr_array", {"solver": "dual"}),
        (_state, "csr_array", {"max_stored": 4}),
        (_state, "csr_array", {"solver": "coordinate_descent"}),
        (np, "zeros", {"kernel": "rbf"}),
        (np, "column_stack", {}),
        (np, "append", {"solver": "coordinate_descent"}),
    ],
)
def test_an_interrupt_anywhere_loses_nothing(module, name, params, monkeypatch):
    """Calls of what may fail do so once; the rest of the stream then makes up."""
    X, codes = gaussian_stream(0, 3, n_rows=4)
    X = csr_array(X)
    prototype = RLSSamplingClassifier(variant="all", random_state=0, **params)
    whole = fresh(prototype).learn(X, RecordingOracle(codes), classes=range(3))
    real, n_calls, fails_at = getattr(module, name), 0, 1

    def failing(*args, **kwargs):
        nonlocal n_calls
        n_calls += 1
        if n_calls == fails_at:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    while fails_at <= n_calls + 1:
        learner, oracle, n_calls = fresh(prototype), RecordingOracle(codes), 0
        learner.teach(X[:0], [], classes=range(3))  # it begins
        with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
            patch.setattr(module, name, failing)
            learner.learn(X, oracle)
        n, fails_at = learner.n_seen_, fails_at + 1 + n_calls // 20
        assert oracle.asked == learner.queried_indices_.tolist() == list(range(n))
        assert learner.n_queries_ == learner.n_updates_ == n
        learner.decision_function(X)
        learner.learn(X[n:], RecordingOracle(codes[n:]))
        np.testing.assert_array_equal(
            learner.decision_function(X), whole.decision_function(X)
        )
    assert fails_at > 2  # it has failed


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"solver": "sag"}, "^solver must be one of .* got 'sag'"),
        *(
            ({"solver": solver, name: value}, f"^solver='{solver}' .*{name}={value!r}")
            for solver in ("primal", "coordinate_descent")
            for name, value in (("max_stored", 9), ("kernel", "rbf"))
        ),
        ({"kernel": "cubic"}, "^kernel must be one of .* or callable, got 'cubic'"),
        (
            {"kernel": lambda X, Z: 1.0},
            r"^kernel must return .* shape \(1, 1\) .* \(\)",
        ),
        ({"kernel": lambda X, Z: -np.ones((len(X), len(Z)))}, "kernel"),
        ({"kernel": lambda X, Z: np.nan * X @ Z.T}, "kernel"),
        ({"kernel": "poly", "gamma": 1e200}, "kernel poly returned NaN or infinity"),
    ],
)
def test_forms_that_do_not_go_together(params, words):
    X, codes = gaussian_stream(0, 2)
    with pytest.raises(ValueError, match=words):
        RLSSamplingClassifier(**params).fit(X, codes)


@pytest.mark.parametrize("rule", ["SS", "SSMD", "SOP", "SOLE"])
@pytest.mark.parametrize("norm", [None, 1.0, 1e2, 1e4, 8e4])
def test_rows_that_contradict_each_other_are_ties_in_every_form(rule, norm):
    X = np.tile([[3.0, 1.0, 0.0], [0.0, 0.3, 2.0]], (40, 1)) * (norm or 1) / 3.2
    y = np.repeat([0, 0, 1, 1], 20)[np.random.RandomState(0).permutation(80)]
    y[:8] = [0, 0, 1, 1, 0, 0, 1, 1]  # weights of 0, up to rounding, again and again
    runs = {
        (solver, sparse): fresh(
            RULES[rule][0], solver=solver, normalize=norm is None
        ).partial_fit(csr_array(X) if sparse else X, y, classes=[0, 1])
        for solver in ("auto", "dual", "primal")
        for sparse in (False, True)
    }
    assert len({learner.n_updates_ for learner in runs.values()}) == 1
    assert len({tuple(learner.queried_indices_) for learner in runs.values()}) == 1


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "params",
    [
        {"solver": "dual"},
        {"solver": "primal"},
        {"max_stored": 5},
        {"kernel": "rbf"},
        {"kernel": "rbf", "max_stored": 5},
        {"solver": "coordinate_descent"},
    ],
    ids=str,
)
def test_a_state_that_is_read_only(params, sparse):
    """As joblib hands it to its processes and maps it from a file."""
    X, codes = gaussian_stream(0, 3, n_rows=20)
    X = csr_array(X) if sparse else X
    learner = RLSSamplingClassifier(variant="all", random_state=0, **params)
    learner.partial_fit(X[:9], codes[:9], classes=range(3))
    buffers = []
    pickled = pickle.dumps(learner, protocol=5, buffer_callback=buffers.append)
    frozen = pickle.loads(pickled, buffers=[bytes(part) for part in buffers])
    for each in (learner, frozen):
        each.query(X[9:14])
        each.teach(X[9:14], codes[9:14]).partial_fit(X[14:], codes[14:])
    np.testing.assert_array_equal(
        frozen.decision_function(X), learner.decision_function(X)
    )


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("kernel", "linear", "rbf"),
        ("kernel", "rbf", "linear"),
        ("gamma", None, 0.3),
        ("solver", "auto", "dual"),
        ("max_stored", None, 5),
        ("a", 1.0, 2.0),
        ("class_weight", None, "balanced"),
    ],
)
def test_what_is_stored_cannot_be_read_in_another_way(name, before, after):
    X, codes = gaussian_stream(0, 2)
    params = {"kernel": "poly", name: before}
    learner = SOLEClassifier(random_state=0, **params).fit(X, codes)
    learner.set_params(**{name: after})
    _, *later = all_verbs(learner, X, codes)
    for call in (*later, lambda: learner.predict(X)):
        with pytest.raises(ValueError, match=f"{name} cannot change"):
            call()
    learner.fit(X, codes).predict(X)


@pytest.mark.parametrize("solver", ["dual", "primal"])
@pytest.mark.parametrize(
    ("learner", "cure"),
    [
        (RLSSamplingClassifier(normalize=False), "set normalize=True"),
        (SOLEClassifier(normalize=False), "choose a larger a"),
        (SecondOrderPerceptronClassifier(1e-11), "choose a larger a"),
    ],
    ids=str,
)
def test_a_row_that_could_not_be_learned_is_not_bought(learner, cure, solver):
    X, codes = gaussian_stream(0, 2, scale=1e6)
    words = rf"Row 0 of X: .* [Ss]cale the rows, or {cure}"
    learner = fresh(learner, solver=solver).teach(X[:0], [], classes=[0, 1])
    oracle = RecordingOracle(codes)
    _, *later, _ = all_verbs(learner, X, codes)
    for call in (*later, lambda: learner.learn(X, oracle)):
        with pytest.raises(ValueError, match=words):
            call()
    assert oracle.asked == []
    assert learner.n_queries_ == learner.n_pending_ == 0


@given(seed=seeds, n_classes=st.integers(2, 3), norm=st.sampled_from([None, 1e-5, 1e4]))
def test_a_tie_is_small_for_the_first_row(seed, n_classes, norm):
    """ln t is 0 then; a row taught with two labels has a margin of 0 up to rounding."""
    x = np.random.RandomState(seed).standard_normal((1, 6)) * (norm or 1)
    for solver in ("dual", "primal"):
        learner = RLSSamplingClassifier(solver=solver, normalize=norm is None)
        learner.teach(np.vstack([x, x]), [0, 1], classes=range(n_classes))
        assert learner.query(x).tolist() == [0]


def descends(learner):
    """Return True if a learner uses coordinate descent."""
    return isinstance(learner._learned.details, _state.CoordinateDescent)


def descent_model(learner, X, codes, n_classes, every):
    """Return the twin's model of a learner that goes over to coordinate descent."""
    Z = twin.rows_as_seen(X, learner.normalize, learner.fit_intercept)
    return twin.Descent(Z, codes, n_classes, learner.get_params().get("a", 1.0), every)


def check_descent(rule, X, codes, n_classes, every, **params):
    """Compare a learner that goes over to coordinate descent with its twin."""
    learner = fresh(RULES[rule][0], **params)
    learner.partial_fit(csr_array(X), codes, classes=np.arange(n_classes))
    model = descent_model(learner, X, codes, n_classes, every)
    expected = run_twin(learner, rule, None, codes, n_classes, X.shape[1], None, model)
    assert learner.queried_indices_.tolist() == expected["bought"]
    assert learner.n_updates_ == expected["n_updates"]
    assert descends(learner) == model.descends
    check_scores(learner, expected, X, X @ X.T)


@each_rule
@given(
    seed=seeds, n_classes=st.integers(2, 4), scale=st.sampled_from([0.1, 1.0, 30.0]),
    normalize=flags, fit_intercept=flags, budget=st.sampled_from([None, 9]),
    every=st.sampled_from([None, 1, 4]),
)  # fmt: skip
def test_coordinate_descent(rule, seed, n_classes, scale, every, **params):
    X, codes = gaussian_stream(seed, n_classes, n_rows=18, n_features=12, scale=scale)
    if not params["fit_intercept"]:
        X[seed % 7] = 0.0
    if every is None:
        params["solver"] = "coordinate_descent"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_base, "DESCENT", (every, 1.0))
        check_descent(
            rule, X, codes, n_classes, every or 1, random_state=seed, **params
        )


@pytest.mark.parametrize("every", [1, 10])
def test_coordinate_descent_approaches_the_ridge_regression(every, monkeypatch):
    """By another way than the twin: the equation of the minimum is nearly solved."""
    rng = np.random.RandomState(0)
    X = np.where(rng.uniform(size=(400, 90)) < 0.1, rng.uniform(size=(400, 90)), 0)
    X, y = csr_array(X), X @ rng.standard_normal(90) > 0
    monkeypatch.setattr(_base, "DESCENT", (every, 1.0))
    learner = RLSSamplingClassifier(variant="all", random_state=0)
    learner.teach(X[:20], y[:20], classes=[False, True])
    assert descends(learner)
    exact = fresh(learner, solver="dual").teach(X[:20], y[:20], classes=[False, True])
    found, wanted = learner.decision_function(X), exact.decision_function(X)
    np.testing.assert_allclose(found, wanted, atol=0.02 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("share", "sparse"), [(0.08, False), (0.08, True), (0.12, True)]
)
def test_auto_goes_over_where_stored_rows_are_sparse(share, sparse):
    """At 500 stored rows, and with the triangle it frees all but the diagonal of A."""
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(510, 1500)) * (rng.uniform(size=(510, 1500)) < share)
    y = X @ rng.standard_normal(1500) > 0
    X = csr_array(X) if sparse else X
    learner = RLSSamplingClassifier(variant="all", random_state=0)
    exact = fresh(learner, solver="dual")
    for each in (learner, exact):
        each.teach(X[:499], y[:499], classes=[False, True])
    np.testing.assert_array_equal(learner.coef_, exact.coef_)
    assert len(factor_of(learner)) == 499 * 500 // 2
    learner.teach(X[499:500], y[499:500])
    moved = descends(learner)
    assert moved == (share < 0.1)
    learner.teach(X[500:], y[500:])
    assert learner.is_dual_
    assert moved == descends(learner)
    if moved:
        assert learner._learned.details.diagonal.shape == (1501,)


@pytest.mark.parametrize(
    "params", [{"solver": "dual"}, {"max_stored": 700}, {"kernel": "rbf"}], ids=str
)
def test_auto_stays_exact_where_that_is_asked_for(params, monkeypatch):
    monkeypatch.setattr(_base, "DESCENT", (4, 1.0))
    X, codes = gaussian_stream(0, 2, n_features=200)
    learner = RLSSamplingClassifier(variant="all", **params).fit(X, codes)
    assert learner.is_dual_
    assert len(factor_of(learner)) == 60 * 61 // 2
