"""Labels as people have them: texts of any form, bytes, gaps, several in a row."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    BlendClassifier,
    CBGZClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    RankAverageClassifier,
    RelevanceSamplingClassifier,
    RLSSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.__main__ import main

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 4))
IS_RARE = X[:, 0] > 0.9  # one class has over 70 % of the rows

LEARNERS = [
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    HybridSamplingClassifier,
    MinMarginClassifier,
    PassiveClassifier,
    QueryByCommitteeClassifier,
    RelevanceSamplingClassifier,
    RLSSamplingClassifier,
    UncertaintyHerdingClassifier,
    UncertaintySamplingClassifier,
]

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
def test_batch_classifiers_keep_any_texts(kind, pair):
    y = np.where(IS_RARE, *pair)
    model = kind().fit(X, y)
    assert model.classes_.tolist() == sorted(pair)
    assert {*model.predict(X).tolist()} == {*pair}
    as_numbers = kind().fit(X, (y == max(pair)).astype(int))
    assert np.array_equal(model.predict(X) == max(pair), as_numbers.predict(X) == 1)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.filterwarnings("ignore:.*buys by distances")
def test_learners_keep_any_texts(learner):
    """They buy and predict what they do with numbers."""
    pair = PAIRS[LEARNERS.index(learner) % 3]
    texts = np.where(IS_RARE, *pair)
    numbers = (texts == max(pair)).astype(int)
    options = {"budget": 40, "random_state": 0}
    if "batch_size" in learner().get_params():
        options["batch_size"] = 15  # few trainings
    by_texts, by_numbers = (learner(**options).fit(X, y) for y in (texts, numbers))
    assert np.array_equal(by_texts.queried_indices_, by_numbers.queried_indices_)
    predicted = by_texts.predict(X) == max(pair)
    assert np.array_equal(predicted, by_numbers.predict(X) == 1)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(class_weight="balanced", random_state=0),
        LinearSVC(class_weight={"0": 1, "1": 5}),
    ],
)
def test_weights_of_classes_follow_their_codes(model):
    y = np.where(IS_RARE, "1", "0")
    kind = PassiveClassifier
    texts = kind(model, n_initial=20, budget=60, random_state=0).fit(X, y)
    if isinstance(model, LinearSVC):
        model = LinearSVC(class_weight={0: 1, 1: 5})
    numbers = kind(model, n_initial=20, budget=60, random_state=0).fit(X, y == "1")
    assert np.array_equal(texts.predict(X) == "1", numbers.predict(X))


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


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (pd.Series([True, False, True], dtype=object), [False, True]),
        (pd.Categorical(["b", "a", "b"], categories=["z", "a", "b"]), ["a", "b"]),
        (pd.Series([0, 1, 0], dtype="Int64"), [0, 1]),
        (pd.Series(["a", "b", "a"], dtype="string"), ["a", "b"]),
        ([np.True_, np.False_, np.True_], [False, True]),
        ([1, 2.0, 1], [1, 2]),
        (np.array(["a", "b", "a"], dtype=object), ["a", "b"]),
        ([2**53, 2**53 + 1, 2**53], [2**53, 2**53 + 1]),
    ],
)
def test_labels_in_other_containers(labels, classes):
    learner = MinMarginClassifier(n_initial=2).teach(X[:3], labels)
    assert learner.classes_.tolist() == classes
    assert learner.predict(X[:1])[0] in classes


def test_many_classes_are_warned_of_once():
    y = np.array([f"c{i % 1100}" for i in range(1500)])
    rows = RNG.normal(size=(1500, 3))
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=1000, batch_size=30, budget=None, random_state=0
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(5):
            bought = learner.query(rows)
            learner.teach(rows[bought], y[bought])
    assert len([each for each in found if "unique classes" in str(each.message)]) == 1
    assert len(learner.classes_) > 700


@pytest.mark.filterwarnings("ignore")
def test_a_table_with_the_classes_0_and_1_as_texts(tmp_path, capsys):
    table = pd.DataFrame(X).assign(label=np.where(IS_RARE, "1", "0"))
    table.to_csv(tmp_path / "pool.csv", index=False)
    data = ["--data", str(tmp_path / "pool.csv"), "--target", "label"]
    assert main(["compare", *data, "--repeats", "1", "--folds", "2"]) == 0
    assert "labels" in capsys.readouterr().out
    assert (
        main(["compare", *data, "--repeats", "1", "--folds", "2", "--find", "1"]) == 0
    )
    assert "1" in capsys.readouterr().out
    pool, out = str(tmp_path / "pool.csv"), str(tmp_path / "labels.sqlite")
    known = ["--labelled", "label", "--test-size", "20", "--budget", "45", "--rehearse"]
    assert main(["label", pool, "--out", out, "--classes", "0,1", *known]) == 0
    assert "labels" in capsys.readouterr().out
