"""Machine labels: certificate, sample, ranking, sessions and the command."""

import csv
import json
import pickle
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_activelearn import ErrorSamplingClassifier, MinMarginClassifier
from sklearn_activelearn.audit import _machine_labels
from sklearn_activelearn.evaluation import ActiveTest
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.pool import AllOf, ErrorTarget
from sklearn_activelearn.testing import _guarantees as guarantees
from sklearn_activelearn.utils._statistics import most_wrong_unread
from tests.reference.labeling import answer_rows, read_rows
from tests.tools import NaiveBayes

rng = np.random.default_rng(0)
N = 120
X = np.round(rng.normal(size=(N, 3)), 3)
y = np.where(X[:, 0] > 0, "yes", "no")
OTHER = {"yes": "no", "no": "yes"}
IS_WRONG = rng.random(N) < 0.2
MACHINE = [
    OTHER[label] if bad else label
    for label, bad in zip(y.tolist(), IS_WRONG, strict=True)
]
CONFIDENCE = np.where(IS_WRONG, 0.6, 0.9) + 0.05 * rng.random(N)
TARGET = ErrorTarget(0.05)


def checking(**params):
    """Return a learner that checks the labels of `MACHINE`."""
    own = {"machine_labels": MACHINE, "estimator": NaiveBayes(), "n_initial": 6}
    own |= {"batch_size": 4, "stopping": TARGET, "random_state": 0}
    return ErrorSamplingClassifier(**own | params)


def oracle(rows):
    return y[rows]


def buy(learner, X=X, y=y):
    """Teach the labels of the rows of one query, and return the rows."""
    rows = learner.query(X)
    learner.teach(X[rows], y[rows])
    return rows


class GivenOrder(ErrorSamplingClassifier):
    """Reads rows in an order that no model has learned."""

    scores = None

    def make_rule(self):
        rule = super().make_rule()
        rule.scores = lambda *_: self.scores
        return rule


# --- the certificate


@given(
    st.integers(1, 14), st.integers(0, 14), st.integers(0, 14), st.floats(0.01, 0.99)
)
def test_the_bound_is_that_of_all_samples(n_rows, n_allowed, n_drawn, alpha):
    n_allowed, n_drawn = min(n_allowed, n_rows - 1), min(n_drawn, n_rows)
    n_wrong, n_rare, share = n_allowed + 1, 0, 0.0
    for x in range(n_drawn + 1):
        n_samples = comb(n_wrong, x) * comb(n_rows - n_wrong, n_drawn - x)
        share += n_samples / comb(n_rows, n_drawn)
        if abs(share - alpha) < 1e-9:
            return  # rounding decides
        n_rare += share <= alpha
    assert most_wrong_unread(n_rows, n_allowed, n_drawn, alpha) == n_rare - 1


def test_the_sizes_of_the_sample():
    sizes = {e: ErrorTarget(e).plan(5000) for e in (0.01, 0.02, 0.05)}
    assert [(p.n_allowed, p.n_sample, p.n_wrong) for p in sizes.values()] == [
        (50, 600, 2), (100, 400, 3), (250, 250, 6),
    ]  # fmt: skip
    small = ErrorTarget(0.02).plan(100)
    assert (small.n_allowed, small.n_wrong) == (2, 0)
    assert most_wrong_unread(100, 2, small.n_sample - 1, 0.05) == -1
    assert ErrorTarget(0.29).plan(100).n_allowed == 29
    with pytest.raises(ValueError, match=r"n_sample=30 is too small .* least 1"):
        ErrorTarget(0.02, n_sample=30).plan(5000)
    assert ErrorTarget(0.05, n_sample=70).plan(1000).n_sample == 70


def scores_of(order, is_wrong, noise):
    """Return scores of rows; the late rows of "half late" are unlike the others."""
    is_late = np.cumsum(is_wrong) <= is_wrong.sum() / 2
    return {
        "random": noise,
        "wrong first": is_wrong + noise,
        "wrong last": noise - is_wrong,
        "half late": np.where(is_wrong, np.where(is_late, -1, 2), noise),
    }[order]


@pytest.mark.parametrize("order", ["random", "wrong first", "wrong last", "half late"])
@pytest.mark.parametrize("n_wrong", [31, 45, 120])
def test_the_rule_misses_the_target_as_seldom_as_stated(order, n_wrong):
    n, n_runs, plan = 600, 1500, ErrorTarget(0.05).plan(600)
    draw, is_wrong = np.random.default_rng(0), np.arange(n) < n_wrong
    scores = scores_of(order, is_wrong, draw.random((n_runs, n)))
    wrong = is_wrong[np.argsort(-scores)]
    is_sample = draw.permuted(
        np.tile(np.arange(n) < plan.n_sample, (n_runs, 1)), axis=1
    )
    n_unread, n_in_sample = (
        np.cumsum(each[:, ::-1], axis=1)[:, ::-1] for each in (wrong, wrong & is_sample)
    )
    left = np.where(n_in_sample <= plan.n_wrong, n_unread, 0).max(axis=1)
    n_missed = np.count_nonzero(left > plan.n_allowed)
    assert n_missed <= 0.05 * n_runs + 2.5 * np.sqrt(0.05 * 0.95 * n_runs)


def test_the_learner_misses_the_target_as_seldom_as_stated():
    n, n_runs, n_missed = 60, 80, 0
    target = ErrorTarget(0.15, confidence=0.8, n_sample=20)
    truth, is_wrong = np.arange(n) % 2, np.arange(n) < 12
    rows, machine = 2.0 * truth[:, None] - 1, np.where(is_wrong, 1 - truth, truth)
    own = {"n_initial": 1, "batch_size": 20, "stopping": target}
    for seed in range(n_runs):
        learner = GivenOrder(machine, estimator=NaiveBayes(), random_state=seed, **own)
        noise = np.random.default_rng(seed).random(n)
        learner.scores = scores_of("wrong last", is_wrong, noise)
        learner.learn(rows, lambda rows: truth[rows], ids=np.arange(n))
        result = learner.result(rows, ids=np.arange(n))
        assert result.is_certified
        n_missed += np.count_nonzero(result.labels != truth) > 9
    assert n_missed <= 0.2 * n_runs + 2 * np.sqrt(0.16 * n_runs)


def test_the_result_tells_labels_origins_and_the_certificate():
    learner = checking().learn(X, oracle)
    result = learner.result(X)
    assert learner.stop_reason_ == "ErrorTarget"
    asked = np.isin(np.arange(N), learner.queried_indices_)
    assert 60 <= asked.sum() < N
    np.testing.assert_array_equal(result.labels, np.where(asked, y, MACHINE))
    np.testing.assert_array_equal(result.origins, np.where(asked, "person", "machine"))
    assert result.is_certified
    assert result.n_expected == result.n_checked == asked.sum()
    sample = learner.queried_indices_[: ErrorTarget(0.05).plan(N).n_sample]
    assert result.machine_error.value == IS_WRONG[sample].mean()
    assert result.machine_error.low <= IS_WRONG.mean() <= result.machine_error.high
    assert str(result).startswith(
        f"With a confidence of 95%, at most 5% of the {N} labels are wrong; "
        f"{asked.sum()} were checked; the machine's own error is "
    )


def test_nothing_is_certain_before_the_sample_or_while_rows_are_pending():
    learner = checking()
    rows = learner.query(X)
    learner.teach(X[rows[1:]], y[rows[1:]], classes=["no", "yes"])
    before = learner.result(X)
    assert (before.is_certified, before.n_expected) == (False, None)
    assert "no certificate yet" in str(before)
    learner.teach(X[rows[:1]], y[rows[:1]])
    n_expected = learner.result(X).n_expected
    assert len(rows) < n_expected <= N
    assert f"About {n_expected} checked labels" in str(learner.result(X))
    while len(rows := learner.query(X)):
        assert not learner.result(X).is_certified  # rows are pending
        learner.teach(X[rows], y[rows])
    assert learner.result(X).is_certified
    assert 2 / 3 <= n_expected / learner.n_queries_ <= 3 / 2


def test_a_corrected_sample_label_can_take_the_certificate_back():
    learner = checking().learn(X, oracle)
    rows = learner._state.rule_memory.open_rows(learner._ledger)
    learner.correct(X[rows], [OTHER[label] for label in y[rows]])
    assert not learner.result(X).is_certified


def test_skipped_sample_rows_count_as_wrong():
    learner = checking(machine_labels=y.tolist())
    rows = learner.query(X)
    learner.teach(X[rows[10:]], y[rows[10:]], classes=["no", "yes"])
    learner.skip(X[rows[:10]])
    assert learner.n_pending_ == 0
    assert not learner.result(X).is_certified
    assert len(learner.query(X))


def test_rows_that_could_not_be_drawn_count_as_wrong():
    target = ErrorTarget(0.05, n_sample=100)  # six wrong labels are allowed
    for n_outside, is_certified in ((2, True), (7, False)):
        learner = checking(machine_labels=y.tolist(), stopping=target)
        learner.learn(X, oracle, exclude=(outside := np.arange(n_outside)))
        assert learner.stop_reason_ == "ErrorTarget"
        assert learner.result(X).is_certified == is_certified
        result = learner.result(X, exclude=outside)
        assert (result.is_certified, result.n_rows) == (True, N - n_outside)


def test_few_unread_rows_need_no_sample():
    few = checking(machine_labels=MACHINE[:12]).fit(X[:12], y[:12])
    assert few.result(X[:12]).is_certified  # no row may be wrong: all are read
    learner = checking()
    learner.teach(X[(rows := learner.query(X))[6:]], y[rows[6:]], ["no", "yes"])
    learner.skip(X[rows[:6]])
    learner.learn(X, oracle)
    result = learner.result(X)
    assert result.is_certified
    assert N - result.n_checked == 6
    assert np.sum(result.labels != y) == np.sum(IS_WRONG[rows[:6]])


# --- the sample and the ranking


def test_a_limit_may_cut_the_sample_into_parts():
    learner = checking()
    while len(rows := learner.query(X, limit=7)):
        learner.teach(X[rows], y[rows], classes=["no", "yes"])
    assert learner.result(X).is_certified
    assert learner.n_queries_ < 110  # parts of the sample do not count as outside


def test_a_batch_reaches_the_sample_rows_before_its_last_row():
    own = {"estimator": NaiveBayes(), "n_initial": 1, "stopping": TARGET}
    learner = GivenOrder(MACHINE, batch_size=10, random_state=0, **own)
    learner.scores = np.random.default_rng(0).random(N)
    for _ in range(3):  # the sample, a random row, a batch
        rows = buy(learner)
    left = learner._state.rule_memory.open_rows(learner._ledger)
    assert len(left) > 10
    assert learner.scores[left].max() < learner.scores[rows[-1]]


def test_sample_rows_that_left_the_pool_change_no_other_row():
    learner = checking().learn(X, oracle)
    before = learner._state.rule_memory.open_rows(learner._ledger)
    left = np.delete(np.arange(N), learner.queried_indices_[:5])  # sample rows
    learner.set_params(machine_labels=np.array(MACHINE)[left].tolist())
    learner.query(X[left], limit=0)
    after = left[learner._state.rule_memory.open_rows(learner._ledger)]
    assert after.tolist() == before[np.isin(before, left)].tolist()


def test_the_ranking_does_not_see_the_sample(monkeypatch):
    learner, seen = checking(machine_confidence=CONFIDENCE), []
    score_errors = _machine_labels.score_errors

    def spy(Z, machine, people, confidence, n_classes):
        seen.append(set(np.flatnonzero(people >= 0)))
        return score_errors(Z, machine, people, confidence, n_classes)

    monkeypatch.setattr(_machine_labels, "score_errors", spy)
    sample, read = buy(learner), set()
    while len(rows := learner.query(X)):
        seen_now = seen.pop() if seen else set()
        hidden = {*learner._state.rule_memory.open_rows(learner._ledger).tolist()}
        assert not hidden & seen_now
        assert read <= seen_now or not seen_now
        learner.teach(X[rows], y[rows])
        read |= {*rows.tolist()}
        assert not read & {*sample.tolist()}  # no second request
    assert hidden < {*sample.tolist()}  # some were reached


def test_the_sample_is_independent_of_the_reference_rows(monkeypatch):
    """The ranking is better for the rows from which its features are made."""
    monkeypatch.setattr(_machine_labels, "N_REFERENCE", 60)
    n, n_common = 240, []
    rows = rng.normal(size=(n, 2))
    truth = np.where(rows[:, 0] > 0, "yes", "no")
    for seed in range(10):
        machine = [OTHER[label] for label in truth.tolist()]
        learner = checking(machine_labels=machine, random_state=seed)
        sample = buy(learner, rows, truth)
        for _ in range(2):  # random rows, then ranked ones
            buy(learner, rows, truth)
        n_common.append(
            len(np.intersect1d(learner._state.points.points.reference_rows(60), sample))
        )
    share = len(sample) / n
    assert abs(np.mean(n_common) / 60 - share) < 0.08


def test_wrong_labels_come_first():
    learner = checking(stopping=None, budget=45, machine_confidence=CONFIDENCE)
    asked = learner.learn(X, oracle).queried_indices_
    assert IS_WRONG[asked[6:]].mean() > 2 * IS_WRONG.mean()
    n_found = {}
    for name, share in {"given": CONFIDENCE, "none": None}.items():
        other = clone(learner).set_params(machine_confidence=share, budget=40)
        n_found[name] = IS_WRONG[other.learn(X, oracle).queried_indices_].sum()
    blind = clone(other).set_params(machine_labels=None)
    n_found["blind"] = IS_WRONG[blind.learn(X, oracle).queried_indices_].sum()
    assert n_found["given"] >= n_found["none"] > n_found["blind"]


def test_leave_one_out_is_a_fit_without_the_row(monkeypatch):
    monkeypatch.setattr(_machine_labels, "PENALTIES", (2.0,))
    Z, targets = rng.normal(size=(20, 3)), rng.normal(size=(20, 2))
    weights = np.repeat([0.0, 1.0, 3.0], [4, 8, 8])
    found = _machine_labels.leave_one_out(Z, targets, weights)
    whole = Ridge(2.0).fit(Z[4:], targets[4:], weights[4:]).predict(Z[:4])
    np.testing.assert_allclose(found[:4], whole)
    # the mean of the row is not left out of the centring of the others
    center = np.average(Z, axis=0, weights=weights)
    level = np.average(targets, axis=0, weights=weights)
    root = np.sqrt(weights)[:, None]
    A = np.hstack([root * (Z - center), root])
    H = A @ np.linalg.inv(A.T @ A + np.diag([2.0, 2, 2, 0])) @ A.T
    fitted = level + (H @ (root * (targets - level)))[4:] / root[4:]
    leverage = np.diag(H)[4:, None]
    expected = targets[4:] - (targets[4:] - fitted) / (1 - leverage)
    np.testing.assert_allclose(found[4:], expected)


def test_labels_may_be_given_by_id():
    names = np.array([f"row {i}" for i in range(N)])
    order = np.random.default_rng(1).permutation(N)
    by_id = dict(zip(names.tolist(), MACHINE, strict=True))
    found = {}
    for key, labels in {"list": np.array(MACHINE)[order], "dict": by_id}.items():
        learner = checking(machine_labels=labels)
        learner.learn(X[order], lambda rows: y[order[rows]], ids=names[order])
        found[key] = learner.queried_indices_.tolist()
    assert found["list"] == found["dict"]
    with pytest.raises(ValueError, match="machine_labels is a dict of ids, but"):
        checking(machine_labels=by_id).query(X)
    with pytest.raises(ValueError, match="none of the ids of the rows, such as 0;"):
        checking(machine_labels=by_id).learn(X, oracle, ["no", "yes"], ids=range(N))


@pytest.mark.parametrize("container", ["float", "Int64", "string", "masked"])
def test_missing_machine_labels_in_any_container(container):
    known, truth = np.array(MACHINE) == "yes", (y == "yes").astype(int)
    is_missing = np.arange(N) == 3
    machine = {
        "float": np.where(is_missing, np.nan, known),
        "Int64": pd.Series(known).astype("Int64").mask(is_missing),
        "string": pd.Series(MACHINE, dtype="string").mask(is_missing),
        "masked": np.ma.array(known.astype(int), mask=is_missing),
    }
    truth = y if container == "string" else truth
    learner = checking(machine_labels=machine[container], stopping=None, budget=20)
    result = learner.fit(X, truth).result(X)
    assert 3 in learner.queried_indices_[:7]
    assert result.labels.dtype == truth.dtype
    assert result.origins[3] == "person"


@pytest.mark.parametrize(
    "name",
    ["reproducible", "unbought_labels", "purity", "budget_is_kept", "simulation"],
)
def test_the_guarantees_hold_with_machine_labels(name):
    check = getattr(guarantees, f"check_{name}")
    check(checking(machine_confidence=CONFIDENCE), X, y)


@pytest.mark.parametrize("name", ["simulation", "no_row_twice", "errors"])
def test_the_guarantees_hold_if_another_rule_judges_the_model(name):
    rules = AllOf([TARGET, "stable_predictions"])
    check = getattr(guarantees, f"check_{name}")
    check(checking(machine_confidence=CONFIDENCE, stopping=rules), X, y)


def test_sparse_rows_are_read_in_the_same_order():
    learner = checking(machine_confidence=CONFIDENCE)
    dense, sparse = (clone(learner).fit(rows, y) for rows in (X, csr_array(X)))
    assert dense.queried_indices_.tolist() == sparse.queried_indices_.tolist()


def test_a_record_knows_the_sample_rows_that_were_reached():
    learner, labels = checking(machine_confidence=CONFIDENCE), []
    for _ in range(3):
        labels += y[buy(learner)].tolist()
    record = json.loads(json.dumps(learner.record()))
    assert record["reached"]
    restored = clone(learner).restore(X, record, labels)
    for each in (learner, restored, pickle.loads(pickle.dumps(learner))):
        rest = each.learn(X, oracle).queried_indices_.tolist()
        assert rest == learner.queried_indices_.tolist()
        assert str(each.result(X)) == str(learner.result(X))
    with pytest.raises(ValueError, match="its 'reached' is wrong"):
        clone(learner).restore(X, {**record, "reached": [-1]}, labels)


# --- gaps, one class, bad input


@pytest.mark.parametrize("gap", [None, np.nan, ""])
def test_people_label_the_gaps(gap):
    machine = list(MACHINE)
    for row in (3, 50, 77):
        machine[row] = gap
    learner = checking(machine_labels=machine).learn(X, oracle)
    result = learner.result(X)
    assert result.is_certified
    assert (result.labels[[3, 50, 77]] == y[[3, 50, 77]]).all()
    started = checking(machine_labels=machine, stopping=None, n_initial=1)
    (row,) = started.query(X)
    started.teach(X[[row]], y[[row]], classes=["no", "yes"])
    assert {*started.query(X)} | {row} >= {3, 50, 77}
    missing = started.result(X)
    assert (missing.origins == "missing").sum() == 3 - (row in (3, 50, 77))
    assert {*missing.labels[missing.origins == "missing"]} == {None}


def test_a_machine_without_mistakes_is_certain_once_its_gaps_are_labelled():
    machine = np.where(np.arange(N) % 9 == 4, "", y).tolist()
    learner = checking(machine_labels=machine).learn(X, oracle)
    assert learner.result(X).is_certified
    assert learner.n_queries_ < N


def test_labels_of_one_class_can_be_certified():
    learner = checking(machine_labels=["no"] * N).learn(
        X, lambda rows: ["no"] * len(rows), classes=["no", "yes"]
    )
    assert learner.result(X).is_certified
    assert learner.n_queries_ == TARGET.plan(N).n_sample
    assert learner.result(X).machine_error.value == 0


BAD = [
    ("machine_labels", [*MACHINE[:7], "yess", *MACHINE[8:]], "'yess', value 7, which"),
    ("machine_labels", MACHINE[1:], "one value for each row of X, 120, .* got shape"),
    ("machine_labels", None, "machine_confidence needs machine_labels"),
    ("machine_confidence", [1.5, *CONFIDENCE[1:]], "0 and 1, got 1.5 for row 0"),
    ("machine_confidence", [np.nan, *CONFIDENCE[1:]], "0 and 1, got None for row 0"),
    ("machine_confidence", ["high", *CONFIDENCE[1:]], "0 and 1, got 'high' for row 0"),
    ("stopping", ErrorTarget(0.05, n_sample=5), "n_sample=5 is too small"),
    ("stopping", ErrorTarget(0.0), "error == 0.0"),
]


@pytest.mark.parametrize(("name", "value", "words"), BAD)
def test_bad_input_is_refused_before_anything_is_bought(name, value, words):
    learner = checking(**{"machine_confidence": CONFIDENCE, name: value})
    for call in (
        lambda: learner.fit(X, y),
        lambda: learner.learn(X, oracle, classes=["no", "yes"]),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            call()
        assert not hasattr(learner, "_ledger")


def test_a_machine_label_that_is_no_class_is_refused_when_classes_are_named(folder):
    learner = checking(machine_labels=[*MACHINE[:7], "yess", *MACHINE[8:]])
    with pytest.raises(ValueError, match="'yess', value 7"):
        LabelingSession(learner, X, folder / "x.sqlite", classes=["no", "yes"])
    rows = learner.query(X)
    before = pickle.dumps(vars(learner))
    with pytest.raises(ValueError, match="'yess', value 7"):
        learner.teach(X[rows], y[rows], classes=["no", "yes"])
    assert pickle.dumps(vars(learner)) == before


def test_the_target_needs_machine_labels():
    learner = MinMarginClassifier(stopping=TARGET, n_initial=3, random_state=0)
    with pytest.raises(TypeError, match="use ErrorSamplingClassifier"):
        learner.fit(X, y)


# --- a column of labels in place of a model


@pytest.mark.parametrize("labelled", [None, (X[:40], y[:40])])
def test_the_machine_is_tested_from_few_labels(labelled):
    judge = LogisticRegression() if labelled else None
    test = ActiveTest(MACHINE, labelled=labelled, surrogate=judge, random_state=0)
    rows = test.query(X, limit=60)
    found = test.teach(X[rows], y[rows]).estimate()
    assert found.low <= IS_WRONG.mean() <= found.high
    assert found.high - found.low < 0.3
    everything = test.query(X, limit=None)
    found = test.teach(X[everything], y[everything]).estimate()
    np.testing.assert_allclose(found.value, IS_WRONG.mean())


def test_a_column_that_does_not_fit_is_refused():
    for labels, loss, words in (
        (MACHINE[1:], "zero_one", "119 labels, but X has 120 rows"),
        ([None, *MACHINE[1:]], "zero_one", "missing"),
        (MACHINE, "log_loss", "labels of a machine were given"),
    ):
        with pytest.raises(ValueError, match=words):
            ActiveTest(labels, loss=loss).query(X)


# --- sessions and the command


def test_a_session_that_is_opened_again_asks_for_the_same_rows(folder):
    learner, asked = checking(machine_confidence=CONFIDENCE.tolist()), {}
    options = {"ids": list(range(N)), "classes": ["no", "yes"]}
    for n_answers in (N, 7):
        rows, path, is_over = [], folder / f"{n_answers}.sqlite", False
        while not is_over:
            with LabelingSession(learner, X, path, **options) as session:
                more = answer_rows(session, lambda row: y[row].item(), n_answers)
                assert session.machine_label(5) == (MACHINE[5], CONFIDENCE[5])
                said = session.advice()
            rows, is_over = [*rows, *more], len(more) < n_answers
        asked[n_answers] = rows
        assert said.startswith("With a confidence of 95%")
    assert asked[N] == asked[7]
    other = clone(learner).set_params(machine_labels=y.tolist())
    with pytest.raises(ValueError, match="machine_labels has other values"):
        LabelingSession(other, X, path, **options)


def test_a_disagreement_is_settled_before_it_counts(folder):
    learner = checking(machine_labels=y.tolist())
    options = {"ids": list(range(N)), "classes": ["no", "yes"], "votes": 2}
    with LabelingSession(learner, X, folder / "x.sqlite", **options) as session:
        disputed = session.next("ann")
        for who in ("ann", "bob"):
            while (row := session.next(who)) is not None:
                label = y[row].item()
                if (who, row) == ("bob", disputed):
                    label = OTHER[label]
                session.label(row, label, who)
        assert "no certificate yet" in session.advice()
        session.label(disputed, y[disputed].item(), "cat")
        assert session.advice().startswith("With a confidence of 95%")


@pytest.fixture
def table(folder):
    """A table with the labels of a machine, the truth, and a gap."""
    path = folder / "mails.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["a", "b", "c", "llm_label", "sure"])
        for i, row in enumerate(X):
            machine = "" if i == 4 else MACHINE[i]
            lines.writerow([*row, machine, "" if i == 4 else f"{CONFIDENCE[i]:.3f}"])
    return path


@pytest.fixture
def run(table, command):
    """Run the command on the table; return its output and its messages."""

    def run(*argv, **options):
        argv = ["label", table, "--out", table.with_suffix(".sqlite"), *argv]
        argv += ["--machine", "llm_label", "--machine-confidence", "sure"]
        return command(*argv, **options)

    return run


def test_the_command_resumes_and_writes_all_labels_with_origins(run, table):
    out, err = run("--max-error", "0.05", answers="1\n" * 20)
    assert "A random sample of 60 of 120 rows is labelled first." in err
    shown, *others = out.split("Row ")
    assert "llm_label" not in out
    assert "machine" not in shown
    for each in others:
        row, _, rest = each.partition(":")
        if row != "5":
            assert rest.split("\n")[0].startswith(
                f" no. The machine: {MACHINE[int(row) - 1]} "
            )
    assert "20 of 120 labels were checked" in out
    out, _ = run(answers="2\n" * 5)  # the error is in the file
    assert "25 of 120 labels were checked" in out
    final = table.with_name("final.csv")
    out, _ = run("--predict", final)
    assert "25 labelled, 95 with the machine's label" in out
    rows = read_rows(final)
    by_machine = [row for row in rows if row["origin"] == "machine"]
    assert len(by_machine) >= 94
    assert all(row["label"] == row["llm_label"] for row in by_machine)
    assert {row["origin"] for row in rows} <= {"machine", "bought", "predicted"}


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "which share of the labels may be wrong?"),
        (["--max-error", "0.001"], "is less than one row"),
        (["--max-error", "0.05", "--budget", "9"], "do not pay for the random sample"),
        (["--max-error", "0.05", "--classes", "a,no"], "has the label 'yes', which is"),
        (["--max-error", "0.05", "--show-prediction"], "do not go together"),
        (["--max-error", "0.05", "--test-size", "9"], "do not go together"),
    ],
)
def test_the_command_refuses_in_one_sentence(run, argv, words):
    assert words in run(*argv, code=2)[1]
