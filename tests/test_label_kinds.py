"""Labels as people have them: texts of any form, bytes, gaps, several in a row."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import (
    BlendClassifier,
    CBGZClassifier,
    MinMarginClassifier,
    RankAverageClassifier,
    UncertaintySamplingClassifier,
)
from tests.learners import each_pool_default
from tests.tools import fresh

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
IS_RARE = X[:, 0] > 0.9  # one class has over 70 % of the rows

#: Two texts that a conversion would change or merge.
PAIRS = [
    ("0", "1"),
    ("1.0", "1"),
    ("nan", "NaN"),
    ("True", "False"),
    ("", " "),
    (" a ", "a"),
    ("None", "null"),
    ("1e3", "1000"),
    ("01", "1"),
    ("-1", "+1"),
    ("é", "e\u0301"),
    ("\u00a0", " "),
    ("inf", "-inf"),
    ("a", "A"),
    ("\ud800", "\ud801"),
]


@pytest.mark.parametrize(
    ("kind", "pair"),
    [*((RankAverageClassifier, pair) for pair in PAIRS), (BlendClassifier, PAIRS[0])],
    ids=ascii,
)
@pytest.mark.usefixtures("quick_blend")
def test_batch_classifiers_keep_any_texts(kind, pair):
    y = np.where(IS_RARE, *pair)
    model = kind().fit(X, y)
    assert model.classes_.tolist() == sorted(pair)
    assert {*model.predict(X).tolist()} == {*pair}
    as_numbers = kind().fit(X, (y == max(pair)).astype(int))
    assert np.array_equal(model.predict(X) == max(pair), as_numbers.predict(X) == 1)


@each_pool_default
@pytest.mark.filterwarnings("ignore:.*buys by distances")
def test_learners_keep_labels_of_any_kind(prototype):
    """They buy and predict what they do with numbers; streams are in input kinds."""
    pair = [*PAIRS[:3], (True, False), (2.0, 1.0)][len(type(prototype).__name__) % 5]
    labels = np.where(IS_RARE, *pair)[:40]
    numbers = (labels == max(pair)).astype(int)
    named, by_numbers = (fresh(prototype).fit(X[:40], y) for y in (labels, numbers))
    assert np.array_equal(named.queried_indices_, by_numbers.queried_indices_)
    assert named.predict(X).dtype == named.classes_.dtype == labels.dtype
    assert np.array_equal(named.predict(X) == max(pair), by_numbers.predict(X) == 1)


#: Labels, and what the error says.
REFUSED = {
    "bytes": ([b"a", b"b", b"a"], r"contains bytes, such as b'[ab]'.*decode"),
    "bytes and texts": ([b"a", "b", b"a"], "contains bytes, such as b'a'"),
    "bytes in an array": (np.array([b"a", b"b", b"a"]), "contains bytes"),
    "text and number": (["1", 1, "1"], r"'1' \(str\) and 1 \(int\)"),
    "dates": ([datetime.date(2024, 1, d) for d in (1, 2, 2)], r"type date"),
    "decimals": ([Decimal(1), Decimal(2), Decimal(1)], "of the type Decimal"),
    "lists": ([["a"], ["a", "b"], []], r"Row 1 of y is \['a', 'b'\].*one label"),
    "a series of lists": (pd.Series([[], ["a"], ["b"]]), r"Row 0 of y is \[\]"),
    "sets": ([{"a"}, {"b"}, {"a"}], "Row 0 of y is {'a'}"),
    "tuples": ([("a", "b"), ("a",), ("b",)], r"Row 0 of y is \('a', 'b'\)"),
    "dicts": ([{"x": 1}, {"x": 2}, {"x": 1}], "one label for each row"),
    "columns": (np.full((3, 2), 2), "y has 2 columns"),
    "a gap of None": ([True, None, False], r"position 1 \(None\)"),
    "Excel's TRUE": (pd.Series([True, np.nan, False]), r"position 1 \(NaN\)"),
    "0, 1 and gaps": (pd.Series([0, 1, np.nan]), r"position 2 \(NaN\)"),
    "nullable": (pd.Series([0, None, 1], dtype="Int64"), "position 1"),
    "a category gap": (pd.Categorical(["a", None, "b"]), "position 1"),
    "numbers": ([0.5, 1.5, 0.5], "continuous"),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("learner", [MinMarginClassifier, CBGZClassifier])
def test_labels_that_are_refused_change_nothing(learner, case):
    labels, message = REFUSED[case]
    learner = learner(random_state=0)
    if isinstance(learner, MinMarginClassifier):
        with pytest.raises(ValueError, match=message):
            learner.teach(X[:3], labels)
    with pytest.raises(ValueError, match=message):
        learner.fit(X[:3], labels)
    assert not hasattr(learner, "classes_")


def test_many_classes_are_warned_of_once():
    y = np.array([f"c{i % 1100}" for i in range(1500)])
    rows = RNG.normal(size=(1500, 3))
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=1000, batch_size=30, budget=None, random_state=0
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(3):
            bought = learner.query(rows)
            learner.teach(rows[bought], y[bought])
    assert len([each for each in found if "unique classes" in str(each.message)]) == 1
    assert len(learner.classes_) > 700
