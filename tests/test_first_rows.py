"""The first rows of a pool: what they follow, and until when."""

from copy import deepcopy

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_activelearn import (
    ALMSClassifier,
    ErrorSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    SSMarginBoostClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from tests.learners import (
    POOL_DEFAULTS,
    POOL_LEARNERS,
    each,
    each_class_and_family_of,
)
from tests.sources import SOURCES
from tests.tools import fresh, problem

X, y = problem(60, 4, noise=0.3)

#: Those whose rows are random ones, whatever the model, and one that has no label yet
#: to validate with.
RANDOM = (PassiveClassifier, SSMarginBoostClassifier, ALMSClassifier)
#: All but the learner that begins with the sample of its stopping rule, whose batches
#: grow.
WITHOUT_SAMPLE = [
    row for row in POOL_LEARNERS if not isinstance(row, ErrorSamplingClassifier)
]
#: Those that take `initial`.
WITH_INITIAL = [row for row in POOL_DEFAULTS if "initial" in row.get_params()]


def first_column(X):
    """Return scores of one's own."""
    return np.asarray(X[:, [0]].toarray() if hasattr(X, "toarray") else X[:, [0]])[:, 0]


def ask(learner, pool=X, **how):
    """Return rows, their probabilities and utilities."""
    return learner.query(pool, return_probability=True, return_utility=True, **how)


@each_class_and_family_of(WITHOUT_SAMPLE)
def test_rows_after_the_first_are_random_while_one_class_is_known(prototype):
    learner, n_left = fresh(prototype, budget=None), len(X)
    classes = np.array(["no", "yes"])
    while n_left > len(X) - learner.n_initial:
        rows = learner.query(X)
        learner.teach(X[rows], np.repeat("no", len(rows)), classes=classes)
        n_left -= len(rows)
    for _ in range(2):
        rows, probabilities, utilities = ask(learner)
        assert len(rows) == learner._parts.choice.n_next(learner._ledger)
        np.testing.assert_allclose(probabilities, len(rows) / n_left)
        assert np.isnan(utilities).all()
        learner.teach(X[rows], np.repeat("no", len(rows)))
        n_left -= len(rows)


@each_class_and_family_of(WITHOUT_SAMPLE)
def test_labels_of_two_classes_that_nobody_asked_for_are_the_first(prototype):
    learner = fresh(prototype, n_initial=10, budget=None, stopping=None)
    learner.teach(X[:5], ["no", "yes", "no", "yes", "no"])
    learner.set_params(**dict.fromkeys({"explore"} & learner.get_params().keys(), 0.0))
    rows, _, utilities = ask(learner)
    assert len(rows) == learner._parts.choice.n_next(learner._ledger)
    has_none = isinstance(learner, RANDOM)
    if getattr(learner, "validation", None) == "pool":  # the expected error of each row
        has_none = False
    assert np.isnan(utilities).all() == has_none


def test_labels_of_one_class_that_nobody_asked_for_count():
    learner = MinMarginClassifier(n_initial=10, initial="herding", random_state=0)
    learner.teach(X[:4], ["no"] * 4, classes=["no", "yes"])
    rows, probabilities, _ = ask(learner)
    assert (len(rows), {*probabilities}) == (6, {1.0})


def test_a_label_counts_for_an_equal_row_that_is_not_for_sale():
    pool = np.zeros((2, 1))
    learner = MinMarginClassifier(random_state=0)
    learner.teach(pool[:1], ["no"], classes=["no", "yes"])
    for row in (0, 1):
        assert deepcopy(learner).query(pool, candidates=[row]).tolist() == [row]


def test_labels_that_were_asked_for_do_not_end_the_first_rows():
    learner = MinMarginClassifier(n_initial=6, random_state=0)
    for labels in (["no"], ["yes"]):
        rows = learner.query(X, limit=1)
        learner.teach(X[rows], labels, classes=["no", "yes"])
    rows, _, utilities = ask(learner)
    assert len(rows) == 4
    assert np.isnan(utilities).all()


class TestInitial:
    @each(WITH_INITIAL)
    def test_the_rows_with_the_highest_scores_until_two_classes_are_known(
        self, prototype
    ):
        learner = fresh(prototype, initial=first_column, n_initial=3, budget=20)
        learner.set_params(batch_size=2, stopping=None, explore=0.0)
        expected, bought = np.argsort(-X[:, 0]), []
        for n_labels in (3, 2, 2):
            rows, probabilities, utilities = ask(learner)
            assert len(rows) == n_labels
            assert (probabilities == 1).all()
            np.testing.assert_array_equal(utilities, X[rows, 0])
            learner.teach(X[rows], ["yes"] * n_labels, classes=["no", "yes"])
            bought += rows.tolist()
        np.testing.assert_array_equal(bought, expected[:7])
        learner.teach(X[expected[-1:]], ["no"])
        rows, _, utilities = ask(learner)
        assert not np.array_equal(utilities, X[rows, 0])

    @each(WITH_INITIAL)
    @pytest.mark.parametrize("container", [np.asarray, csr_array], ids=["dense", "CSR"])
    def test_the_rows_that_are_most_similar(self, prototype, container):
        anchors, pool = container(X[:2] + 1), container(X)
        learner = fresh(prototype, initial=anchors, n_initial=5)
        cosines = cosine_similarity(X, X[:2] + 1).max(axis=1)
        rows, _, utilities = ask(learner, pool)
        np.testing.assert_array_equal(rows, np.argsort(-cosines)[:5])
        np.testing.assert_allclose(utilities, cosines[rows])

    def test_in_an_embedding(self):
        texts = [f"word{i % 7} other{i % 11} last{i}" for i in range(40)]
        learner = UncertaintyHerdingClassifier(
            make_pipeline(TfidfVectorizer(), LogisticRegression()),
            embedding=TfidfVectorizer(),
            initial=["word3 other9"],
            n_initial=4,
            random_state=0,
        )
        vectorizer = TfidfVectorizer().fit(texts)
        points = vectorizer.transform(texts), vectorizer.transform(["word3 other9"])
        cosines = cosine_similarity(*points).ravel()
        rows, _, utilities = ask(learner, texts)
        np.testing.assert_allclose(utilities, np.sort(cosines)[::-1][:4])
        np.testing.assert_allclose(cosines[rows], utilities)
        scaled = MinMarginClassifier(
            initial=X[:1] * 9, embedding=StandardScaler(), n_initial=3, random_state=0
        )
        points = StandardScaler().fit(X)
        cosines = cosine_similarity(points.transform(X), points.transform(X[:1] * 9))
        expected = np.argsort(-cosines.ravel())[:3]
        np.testing.assert_array_equal(scaled.query(X), expected)

    @pytest.mark.parametrize("kind", SOURCES)
    @pytest.mark.parametrize("initial", [X[:2] + 1, first_column], ids=["rows", "own"])
    def test_rows_that_are_not_in_memory(self, kind, initial, tmp_path):
        learner = MinMarginClassifier(initial=initial, n_initial=8, random_state=0)
        pool = SOURCES[kind](X, [20, 41], tmp_path)
        np.testing.assert_array_equal(learner.query(pool), clone(learner).query(X))
        embedded = clone(learner).set_params(embedding=StandardScaler())
        np.testing.assert_array_equal(embedded.query(pool), clone(embedded).query(X))

    def test_equal_rows_come_last(self):
        pool = np.repeat(X[:6], 4, axis=0)
        learner = MinMarginClassifier(initial=X[:1], n_initial=6, random_state=0)
        assert len(np.unique(pool[learner.query(pool)], axis=0)) == 6

    @pytest.mark.parametrize(
        ("initial", "error", "words"),
        [
            ("hearding", ValueError, "initial must be one of"),
            (None, TypeError, "a function of rows, or rows"),
            (np.ndarray, TypeError, "a function of rows, or rows"),
            (X[:0], ValueError, "initial has no rows"),
            (X[0].tolist(), ValueError, r"Pass \[x\] in place of x"),
            (["some words"], ValueError, "rows of finite numbers"),
            (X[:1] * np.nan, ValueError, "rows of finite numbers"),
            (np.eye(4)[:2] - np.eye(4)[:1], ValueError, "a row of zeros"),
            (csr_array((1, 4)), ValueError, "a row of zeros"),
            (X[:, :3], ValueError, "initial have 3 numbers, rows of X 4"),
            (lambda X: X, ValueError, r"initial must return one number for each"),
            (lambda X: np.repeat(np.nan, len(X)), ValueError, "initial returned nan"),
        ],
    )
    def test_what_is_refused_changes_nothing(self, initial, error, words):
        learner = MinMarginClassifier(initial=initial)
        before = {**vars(learner)}
        with pytest.raises(error, match=words):
            learner.query(X)
        assert vars(learner) == before or {*vars(learner)} == {*before}

    def test_columns_of_other_names(self):
        pd = pytest.importorskip("pandas")
        pool = pd.DataFrame(X, columns=list("abcd"))
        learner = MinMarginClassifier(
            make_pipeline(StandardScaler(), LogisticRegression()),
            initial=pool.iloc[:1, ::-1],
        )
        with pytest.raises(ValueError, match="other columns than X, or in another"):
            learner.query(pool)
        assert len(learner.set_params(initial=pool.iloc[:1]).query(pool)) == 10


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32])
def test_scores_may_be_of_any_kind(dtype):
    pool = np.arange(40.0).reshape(20, 2)

    def score(X):
        return (X[:, 0] > 30).astype(dtype)

    rows = UncertaintySamplingClassifier(
        initial=score, n_initial=4, random_state=0
    ).query(pool)
    assert sorted(rows) == [16, 17, 18, 19]
