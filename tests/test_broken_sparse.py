"""Sparse matrices that do not fit together are refused before anything reads them.

scipy's constructors let some of them pass, and its compiled code, like ours, reads and
writes where the indices say.
"""

from functools import partial

import numpy as np
import pytest
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from sklearn_activelearn import BatchMarginLossClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.evaluation import label_curve
from tests.learners import each_way_in
from tests.tools import fresh, frozen

DENSE = np.random.RandomState(0).standard_normal((12, 4))
DENSE *= np.random.RandomState(1).uniform(size=(12, 4)) < 0.6
DENSE[:, 0] += 1
y = np.arange(12) % 2


def first(array, value):
    return np.append(value, array[1:]).astype(array.dtype)


def last(array, value):
    return np.append(array[:-1], value).astype(array.dtype)


def middle(array, value):
    array = array.copy()
    array[len(array) // 2] = value
    return array


#: What is replaced, and by what.
BROKEN = {
    "indptr begins late": ("indptr", lambda a: first(a, 1)),
    "indptr begins before": ("indptr", lambda a: first(a, -1)),
    "indptr ends late": ("indptr", lambda a: last(a, a[-1] + 1)),
    "indptr ends far off": ("indptr", lambda a: last(a, 2**31 - 1)),
    "indptr ends before": ("indptr", lambda a: last(a, -5)),
    "indptr decreases": ("indptr", lambda a: middle(a, a[-1] + 1)),
    "indptr is negative": ("indptr", lambda a: middle(a, -(2**20))),
    "indptr is far off": ("indptr", lambda a: middle(a, 2**30)),
    "indptr is longer": ("indptr", lambda a: np.append(a, a[-1])),
    "indptr is shorter": ("indptr", lambda a: a[:-1]),
    "indptr is empty": ("indptr", lambda a: a[:0]),
    "indptr is a table": ("indptr", lambda a: a[:, None]),
    "indptr has fractions": ("indptr", lambda a: a.astype(float)),
    "indices are negative": ("indices", lambda a: middle(a, -1)),
    "indices are too large": ("indices", lambda a: last(a, 12)),
    "indices are far off": ("indices", lambda a: first(a, 2**31 - 1)),
    "indices are fewer": ("indices", lambda a: a[:-3]),
    "indices are more": ("indices", lambda a: np.append(a, a)),
    "indices have fractions": ("indices", lambda a: a + 0.5),
    "values are fewer": ("data", lambda a: a[:-3]),
    "values are more": ("data", lambda a: np.append(a, a)),
    "values are a table": ("data", lambda a: np.column_stack([a, a])),
    "values are objects": ("data", lambda a: a.astype(object)),
}


def broken(X, how):
    name, change = BROKEN[how]
    setattr(X, name, change(getattr(X, name)))
    return X


VERBS = {
    "fit": lambda one, X: one.fit(X, y),
    "partial_fit": lambda one, X: one.partial_fit(X, y, classes=[0, 1]),
    "query": lambda one, X: one.query(X),
    "teach": lambda one, X: one.teach(X, y, classes=[0, 1]),
    "learn": lambda one, X: one.learn(X, pytest.fail, classes=[0, 1]),
    "predict": lambda one, X: one.predict(X),
    "pending": lambda one, X: one.pending(X),
    "skip": lambda one, X: one.skip(X),
}


FEW = ["indptr decreases", "indices are too large"]


@pytest.mark.parametrize(
    ("how", "kind"),
    [(how, csr_array) for how in BROKEN]
    + [(how, kind) for how in FEW for kind in (csr_matrix, csc_array)],
)
def test_broken_matrices_are_refused(how, kind):
    with pytest.raises(ValueError, match=r"X is an invalid CS[RC] matrix: "):
        UncertaintySamplingClassifier().query(broken(kind(DENSE), how))


@pytest.mark.parametrize("verb", VERBS)
@each_way_in
def test_each_verb_checks_and_changes_nothing(prototype, verb):
    learner = fresh(prototype).fit(DENSE, y)
    before = frozen(vars(learner))
    with pytest.raises(ValueError, match=r"X is an invalid CSR matrix: "):
        VERBS[verb](learner, broken(csr_array(DENSE), "indptr decreases"))
    assert frozen(vars(learner)) == before


@pytest.mark.parametrize("how", [name for name in BROKEN if "table" not in name])
def test_blocks(how):
    X = broken(bsr_array(np.tile(DENSE, (2, 1)), blocksize=(2, 2)), how)
    with pytest.raises(ValueError, match="invalid BSR matrix"):
        UncertaintySamplingClassifier().query(X)


@pytest.mark.parametrize("value", [-1, 4, 2**30])
@pytest.mark.parametrize("axis", [0, 1])
def test_coordinates(axis, value):
    X = coo_array(DENSE)
    X.coords[axis][3] = value + 8 * (axis == 0 and value == 4)
    with pytest.raises(ValueError, match="invalid COO matrix: coordinates must lie"):
        UncertaintySamplingClassifier().query(X)
    X = coo_array(DENSE)
    X.data = X.data[:-1]
    with pytest.raises(ValueError, match="invalid COO matrix: coordinates"):
        UncertaintySamplingClassifier().query(X)


@pytest.mark.parametrize("how", FEW)
def test_rows_for_a_transformer_the_batch_learner_and_a_label_curve(how):
    model = make_pipeline(MaxAbsScaler(), LogisticRegression())
    for use in (
        UncertaintySamplingClassifier(model).fit,
        BatchMarginLossClassifier().fit,
        partial(label_curve, UncertaintySamplingClassifier()),
    ):
        with pytest.raises(ValueError, match="invalid CSR matrix"):
            use(broken(csr_array(DENSE), how), y)


@pytest.mark.parametrize("kind", [csr_array, csc_array, bsr_array, coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, int])
def test_whole_matrices_pass(kind, dtype):
    whole = (DENSE * 4).astype(dtype)
    learner = UncertaintySamplingClassifier(random_state=0, budget=12)
    assert learner.fit(kind(whole), y).n_queries_ == 12
    roomy = csr_array(whole)  # room behind the last entry is no fault
    roomy.data = np.append(roomy.data, roomy.data[:2])
    roomy.indices = np.append(roomy.indices, [99, 99]).astype(roomy.indices.dtype)
    assert len(learner.predict(roomy)) == 12
