"""All verbs in any order, beside a slow book of what is out, taught and billed.

Each family of learners goes through random histories. More of them, and longer ones:
``pytest tests/test_ledger_machine.py --hypothesis-profile=explore``.
"""

import pickle
import warnings
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from sklearn.base import clone

from sklearn_activelearn import (
    ActiveLabelPropagationClassifier,
    ALMSClassifier,
    CBGZClassifier,
    COMBClassifier,
    FASSLBoostClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    PassiveClassifier,
    RLSSamplingClassifier,
    SOLEClassifier,
    UncertaintySamplingClassifier,
)
from tests.reference.ledger import ReferenceLedger
from tests.tools import NaiveBayes, frozen, responses, state

LABELS = ["a", "b"]

FAMILIES = {
    "first order": CBGZClassifier(b=5.0, budget=30),
    "margin loss": MarginLossClassifier("sigmoid", n_warm_start=3),
    "greedy": GreedyOnlineClassifier(m=2, budget=20),
    "second order": SOLEClassifier(5.0),
    "matrix": RLSSamplingClassifier(9.0, variant="mistake", dual=False),
    "kernel": RLSSamplingClassifier(9.0, kernel="rbf", gamma=0.1),
    "passive": PassiveClassifier(NaiveBayes(), n_initial=2, batch_size=2),
    "uncertainty": UncertaintySamplingClassifier(
        NaiveBayes(), n_initial=3, batch_size=2, budget=0.8
    ),
    "incremental": UncertaintySamplingClassifier(
        NaiveBayes(), n_initial=2, incremental=True, stopping="stable_predictions"
    ),
    "graph": ActiveLabelPropagationClassifier(n_neighbors=3, n_initial=3, batch_size=2),
    "COMB": COMBClassifier(n_estimators=2, n_initial=3, batch_size=2),
    "FASSL": FASSLBoostClassifier(n_initial=3, batch_size=2),
    "ALMS": ALMSClassifier(
        NaiveBayes(),
        param_grid={"alpha": [0.1, 9.0]},
        n_candidates=1,
        n_pairs=1,
        n_initial=4,
        batch_size=2,
    ),
}


def is_settled(machine):
    """Tell whether a learner knows the classes."""
    return hasattr(machine.learner, "classes_")


class Ledger(RuleBasedStateMachine):
    """A learner and the book of somebody who watches it."""

    prototype = None

    @initialize(seed=st.integers(0, 2**16), n_values=st.integers(1, 9))
    def begin(self, seed, n_values):
        rng = np.random.RandomState(seed)
        self.X = rng.randint(-n_values, n_values + 1, size=(14, 2)) / 3
        self.learner = clone(self.prototype).set_params(random_state=seed % 97)
        is_stream = hasattr(self.learner, "patience")
        self.book = ReferenceLedger(is_stream=is_stream)
        self.n_billed = 0

    def rows_of(self, data, name="rows", min_size=0):
        numbers = st.integers(0, len(self.X) - 1)
        rows = st.lists(numbers, unique=True, min_size=min_size, max_size=4)
        return np.array(data.draw(rows, label=name), dtype=int)

    def labels_for(self, data, n):
        labels = st.lists(st.sampled_from(LABELS), min_size=n, max_size=n)
        return np.array(data.draw(labels, label="labels"), dtype="<U1")

    def pool(self, data):
        """Return the rows as they are, in another order, or a part of them."""
        how = data.draw(st.sampled_from(["same"] * 4 + ["reversed", "slice", "again"]))
        changes = {
            "same": lambda X: X,
            "reversed": lambda X: X[::-1].copy(),
            "slice": lambda X: X[3:11],
            "again": lambda X: X * (1 + 1e-15),  # computed again, in other steps
        }
        return changes[how](self.X)

    def refused(self, error, call):
        before = state(self.learner)
        with pytest.raises(error):
            call()
        assert state(self.learner) == before

    @rule(data=st.data(), limit=st.sampled_from([None, None, 0, 1, 3]))
    def query(self, data, limit):
        X = self.pool(data)
        exclude = data.draw(st.sampled_from([None, [0, 2], np.arange(len(X)) % 2 == 0]))
        left = np.setdiff1d(
            np.arange(len(X)), [] if exclude is None else np.arange(len(X))[exclude]
        )
        rows = self.learner.query(X, exclude=exclude, limit=limit)
        assert (
            len(set(rows.tolist())) == len(rows) <= (len(X) if limit is None else limit)
        )
        assert set(rows.tolist()) <= set(left.tolist())
        if not self.book.is_stream:
            for_sale = self.book.for_sale(X, left.tolist())
            assert set(rows.tolist()) <= set(for_sale)
            if self.learner.stop_reason_ == "no rows":
                assert not for_sale
        if len(rows):
            assert self.learner.stop_reason_ is None
        elif not self.book.is_stream:
            assert self.learner.stop_reason_ is not None
        self.book.ask(X, rows.tolist())
        self.n_billed += len(rows)

    @rule(data=st.data(), computed_again=st.booleans())
    def teach_what_is_out(self, data, computed_again):
        out = self.book.out
        if out:
            some = data.draw(st.lists(st.sampled_from(range(len(out))), unique=True))
            X = np.array([out[i].values for i in some]).reshape(-1, 2)
            self.teach(data, X * (1 + 1e-15) if computed_again else X)

    @rule(data=st.data())
    def teach_anything(self, data):
        self.teach(data, self.X[self.rows_of(data)])

    def teach(self, data, X):
        labels = self.labels_for(data, len(X))
        self.learner.teach(X, labels, classes=LABELS)
        self.book.teach(X.tolist(), labels.tolist())

    @rule(data=st.data(), refund=st.booleans(), everything=st.booleans())
    def skip(self, data, refund, everything):
        X = None if everything else self.X[self.rows_of(data)]
        n_skipped = self.book.skip(None if everything else X.tolist())
        if n_skipped is None:
            self.refused(ValueError, lambda: self.learner.skip(X, refund=refund))
        else:
            self.learner.skip(X, refund=refund)
            self.n_billed -= refund * n_skipped

    @precondition(lambda self: hasattr(self.learner, "correct") and is_settled(self))
    @rule(data=st.data())
    def correct(self, data):
        X = self.X[self.rows_of(data, min_size=1)]
        labels = self.labels_for(data, len(X))
        if self.book.correct(X.tolist(), labels.tolist()):
            self.learner.correct(X, labels)
        else:
            self.refused(ValueError, lambda: self.learner.correct(X, labels))

    @precondition(lambda self: hasattr(self.learner, "budget") and is_settled(self))
    @rule(data=st.data(), fault=st.sampled_from([None, KeyError, "label", "number"]))
    def learn(self, data, fault):
        self.learner.set_params(budget=max(self.n_billed, 0) + 3)
        answers, fails_at = [], data.draw(st.integers(0, 3), label="fails at")

        def oracle(rows):
            n = len(answers)
            answers.append(
                (rows.copy(), np.array(LABELS)[(rows + n) % 2].astype("<U9"))
            )
            if n == fails_at and fault is KeyError:
                raise KeyError(answers.pop())
            rows += 1  # the oracle's own array
            if n == fails_at and fault == "number":
                answers.pop()
                return []
            if n == fails_at and fault == "label":
                answers[-1][1][-1] = "typo"
            return answers[-1][1]

        try:
            self.learner.learn(self.X, oracle, LABELS)
        except (KeyError, ValueError):
            assert fault is not None
        for rows, labels in answers:
            known = labels != "typo"
            if self.book.is_stream and not known.all():
                continue  # the state is that just before the row
            self.n_billed += len(rows)
            if self.book.is_stream:  # each answer is that to its own request
                self.book.n_taught += len(rows)
                continue
            self.book.ask(self.X, rows.tolist())
            self.book.teach(self.X[rows[known]].tolist(), labels[known].tolist())
        self.learner.set_params(budget=None if self.book.is_stream else 50)

    @rule()
    def come_back_from_a_file(self):
        self.learner = pickle.loads(pickle.dumps(self.learner))

    @rule()
    def be_copied(self):
        before = state(self.learner)
        twin, self.learner = self.learner, deepcopy(self.learner)
        twin.query(self.X)
        assert state(self.learner) == before

    @rule(data=st.data())
    def be_asked_wrongly(self, data):
        X = self.X.copy()
        self.refused(ValueError, lambda: self.learner.query(X, candidates=[0, 99]))
        self.refused(ValueError, lambda: self.learner.query(X, exclude=[True]))
        self.refused(ValueError, lambda: self.learner.teach(X[:2], ["a"]))
        self.refused(TypeError, lambda: self.learner.skip(X[:0], refund="yes"))
        if hasattr(self.learner, "classes_"):
            self.refused(ValueError, lambda: self.learner.teach(X[:2], ["a", "z"]))
            self.refused(ValueError, lambda: self.learner.skip(X[:1] + 9))
        X[1, 1] = np.nan
        self.refused(ValueError, lambda: self.learner.teach(X, ["a"] * len(X)))

    @rule()
    def predict(self):
        if hasattr(self.learner, "classes_"):
            before = state(self.learner)
            assert frozen(responses(self.learner, self.X)) == frozen(
                responses(self.learner, self.X)
            )
            assert state(self.learner) == before

    @invariant()
    def the_books_agree(self):
        learner, book = self.learner, self.book
        assert learner.pending(self.X).tolist() == book.pending(self.X.tolist())
        if not hasattr(learner, "_requests"):
            return
        assert learner.n_pending_ == len(book.out)
        assert learner.n_taught_ == book.n_taught
        assert learner.n_queries_ == self.n_billed
        if book.is_stream:
            assert learner.n_skipped_ == book.n_skipped
        else:
            skipped = [e for e in book.entries if e.standing == "skipped"]
            assert learner.n_skipped_ == len(skipped)
            if book.n_taught:
                known = learner.classes_[learner._labelled.codes]
                assert known.tolist() == book.labels


def machine_of(name):
    """Return a machine for one family, as a test case of its own."""
    machine = type(name, (Ledger,), {"prototype": FAMILIES[name]})
    case = machine.TestCase
    profile = settings.get_current_profile_name()
    is_small = profile == "suite"
    case.settings = settings(
        max_examples=8 if is_small else 150,
        stateful_step_count=25 if is_small else 40,
        deadline=None,
    )
    return case


@pytest.mark.parametrize("family", FAMILIES)
def test_the_ledger(family):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # few rows, few neighbours
        machine_of(family)("runTest").runTest()
