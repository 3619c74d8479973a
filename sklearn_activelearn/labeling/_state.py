"""The state of a session: what its events add up to."""

from collections import Counter
from math import inf
from typing import NamedTuple

from ._beginnings import Beginning, Sampled, changed_settings
from ._decisions import (
    SKIP,
    Answer,
    ReviewNote,
    decided,
    is_disputed,
    n_wanted,
    votes_among,
)

#: Why no more rows are wanted when people disagree on all that are left.
DISPUTED = "disputed"


class Asked(NamedTuple):
    """A row that the learner asked for."""

    event: int  # the ask
    probability: float


class SessionState:
    """The state of a session but for its learner: a fold over the events.

    Parameters
    ----------
    events : list of Event
        From the first one on.

    Attributes
    ----------
    begin : dict
        What the session was begun with, with all changes since.
    budget, budget_given : int, float or None
        Labels that the learner may buy, and its parameter.
    test : dict of id to None
        The rows put aside, in order.
    asked : dict of id to Asked
        What the learner asked for, in order.
    answers : dict of id to list of Answer
        Those that were not undone, in order.
    decisions : dict of id to Decision
        What rows are, of those that are decided.
    disputes : dict of id to None
        The rows on which people disagree, in the order in which they came to.
    by_class : Counter
        How many rows have each label.
    by_person : dict of str or None to Counter
        How many rows have each label, or `SKIP`, as the last answer of each person.
    n_pending, n_skipped : int
        Of the rows asked for and put aside, those that are not decided, and those that
        get no label.
    n_taught : int
        Labels that the learner was taught.
    open : list of id
        Rows that need an answer, in the order in which to show them.
    taught : dict of id to label
        What the learner was taught of each row, `SKIP` for no label.
    notes : dict of id to dict of str or None to ReviewNote
        The notes on rows, by person; the row noted last is last.
    undone : set of int
        Events that were taken back.
    unlearned : set of int
        Events that took back what the learner had been taught.
    last_ask, last_teach : int
        The last events of these kinds; 0 for none.
    stop_reason : str or None
        Why the last ask brought nothing.
    models : list of dict
        The predictions of each model since the beginning for the test rows.
    beginning : Beginning
        Where the learner began: with the session, or at the last change that made it
        begin again.
    sampled : Sampled
        What the test rows stand for.
    is_noted : bool
        Whether the last ask of the learner tells what stopping rules remember.
    """

    def __init__(self, events):
        self.begin, self.test = {}, {}
        self.budget = self.budget_given = None
        self.asked, self.answers, self.taught = {}, {}, {}
        self.decisions, self.disputes = {}, {}
        self.by_class, self.by_person, self.notes = Counter(), {}, {}
        self.n_pending = self.n_skipped = self.n_taught = 0
        self.open, self.undone, self.models = [], set(), []
        self.last_ask = self.last_teach = 0
        self.unlearned, self.is_noted = set(), True
        self.beginning = self.sampled = None
        self._votes_before, self._votes_of = [], {}
        self.stop_reason, self._must_ask = None, True
        self._holds, self._changed, self._row_of, self._teach_events = {}, {}, {}, {}
        for event in events:
            self.apply(event)

    def apply(self, event):
        """Take note of the next event."""
        apply = getattr(self, f"_apply_{event.kind}", None)
        if apply is None:
            raise ValueError(
                f"Event {event.id} is of a kind that this version does not know, "
                f"{event.kind!r}."
            )
        apply(event, event.body)

    def decision(self, id, until=None):
        """Return what a row is, as far as the answers tell; None: not decided."""
        if until is None:
            return self.decisions.get(id)
        return decided(self.answers.get(id, []), self.votes_of(id, until), until)

    def votes_of(self, id, until=inf):
        """Return how many people are asked about a row, as it was up to an event."""
        before = (n for event, n in self._votes_before if until < event)
        then = next(before, self.begin["votes"])
        return min(then, self._votes_of.get(id, then))

    def waiting(self):
        """Return the decisions that the learner has to be taught, in their order."""
        decisions = [self.decision(id) for id in self._changed]
        return sorted(
            (each for each in decisions if each and not self._knows(each)),
            key=lambda decision: decision.event,
        )

    def taught_by(self, teach):
        """Return what a teach event says now: some answers may have been undone."""
        rows = [(self._row_of[number], number) for number in teach.body["events"]]
        decisions = [self.decision(id, until=number) for id, number in rows]
        return [decision for decision in decisions if decision]

    @property
    def may_ask(self):
        """Whether the learner may have more to ask, or has something to be taught."""
        return self._must_ask or self.stop_reason is None or bool(self.waiting())

    @property
    def ended(self):
        """Why no more rows are wanted; None while there may be some."""
        if self.may_ask or any(id not in self.disputes for id in self.open):
            return None
        return DISPUTED if self.open else self.stop_reason

    @property
    def is_settled(self):
        """Whether it is fixed what the learner knows when it is asked next."""
        return self.last_teach > self.last_ask

    @property
    def any_taught(self):
        """Whether the learner was taught a label."""
        return self.n_taught > 0

    def is_of_last_batch(self, id):
        """Whether no rows were asked for since this one was."""
        return (self.asked[id].event if id in self.asked else 0) == self.last_ask

    def is_untaught(self, id):
        """Whether a row was shown, and the learner knows nothing of its answer."""
        return (id in self.asked or id in self.test) and id not in self.taught

    def last_answer(self, who, id=None):
        """Return the last answer of a person that was not undone, None for none.

        With `id` it is that to this row.
        """
        rows = self.answers.values() if id is None else [self.answers.get(id, ())]
        own = (a for each in rows for a in each if a.who == who)
        return max(own, key=lambda answer: answer.event, default=None)

    def any_label(self):
        """Return one of the labels, None if there are none."""
        answers = (answer for each in self.answers.values() for answer in each)
        return next((a.label for a in answers if a.label is not SKIP), None)

    def next_for(self, who, now):
        """Return the id of the row that a person is to label; None for none.

        Parameters
        ----------
        who : str or None
            The person.
        now : float
            Seconds since 1970.
        """
        held = [id for id in self.open if who in self._holds.get(id, ())]
        for id in (*held, *self.open):
            if self._is_free(id, who, now):
                return id
        return None

    def is_held(self, id, who, now):
        """Whether a row is that person's to label, for some time yet."""
        return self._holds.get(id, {}).get(who, 0) > now

    def _is_free(self, id, who, now):
        answers, n_votes = self.answers.get(id, []), self.votes_of(id)
        votes = votes_among(answers) if n_votes > 1 else {}
        if who in votes:
            return False
        # an undo adds a hold, whoever has one: who had the row first is asked first,
        # and who has voted before is not waited for
        holds = self._holds.get(id, {})
        names = [name for name in holds if holds[name] > now and name not in votes]
        others = names.index(who) if who in names else len(names)
        if n_votes == 1:
            return not others
        return len(votes) + others < n_wanted(answers, n_votes)

    def _knows(self, decision):
        id = decision.id
        return id in self.taught and self.taught[id] == decision.label

    def _apply_begin(self, event, body):
        self.begin, self.test = body, dict.fromkeys(body["test"])
        self.budget = body["budget"]
        self.budget_given = body["learner"]["params"]["budget"]
        self.open = list(body["test"])
        self.n_pending = len(self.test)
        n_rows = body["pool"]["n_rows"]
        self.beginning = Beginning(
            event.id, n_rows, body["test"], (), body["classes"], self.budget
        )
        self.sampled = Sampled(n_rows, 0)

    def _apply_change(self, event, body):
        if "votes" in body:
            self._votes_before.append((event.id, self.begin["votes"]))
            for id in self.decisions:
                self._votes_of.setdefault(id, self.begin["votes"])
        self.begin = changed_settings(self.begin, body)
        for id in [*self.disputes]:  # one more person may decide
            self._update_decision(id)
        n_rows = self.begin["pool"]["n_rows"]
        if body["test"]:
            for id in body["test"]:
                self._count(id, -1)
                self.test[id] = None
                self._count(id, 1)
            self.open[:0] = [id for id in body["test"] if not self.decision(id)]
            self.sampled = Sampled(n_rows, self.sampled.n_later + len(body["test"]))
        self.budget, self.budget_given = body["budget"], body["given"]
        self._must_ask = True
        if body["is_beginning"]:
            self._begin_again(event, body, n_rows)

    def _begin_again(self, event, body, n_rows):
        """Let another learner begin, which is taught all labels at once."""
        asked = tuple(self.asked)
        budget = None if self.budget is None else self.budget - len(asked)
        self.beginning = Beginning(
            event.id, n_rows, tuple(self.test), asked, self.begin["classes"], budget
        )
        self.taught, self.n_taught, self.models = {}, 0, []
        self._teach_events, self.is_noted = {}, True
        self._changed = dict.fromkeys(id for id in self.answers if id not in self.test)
        self._apply_teach(event, body)
        self.last_teach = 0  # answers that come before the next ask are taught, too

    def _apply_ask(self, event, body):
        for id, probability in zip(body["rows"], body["probabilities"], strict=True):
            self._count(id, -1)
            self.asked[id] = Asked(event.id, probability)
            self._count(id, 1)
            self._set_taught(id, None)  # an equal row, asked for once more
            self._changed[id] = None
            if not self.decision(id):
                self.open.append(id)
        self.last_ask, self.stop_reason = event.id, body["stop"]
        self.is_noted = body.get("learner") is not None
        self._must_ask = False
        if body["model"]:
            self.models.append(body["model"])

    def _apply_teach(self, event, body):
        self.last_teach, self._must_ask = event.id, True
        for number in body["events"]:
            id = self._row_of[number]
            self._teach_events.setdefault(id, []).append(number)
            self._update_taught(id)

    def _apply_label(self, event, body):
        self._answer(event, body, body["label"])

    def _apply_skip(self, event, body):
        self._answer(event, body, SKIP)

    def _answer(self, event, body, label):
        id, who, at = body["id"], body["who"], body.get("at", event.at)
        self._count_own(id, who, -1)
        rest = body.get("final", False), body.get("reason")
        answer = Answer(event.id, id, label, who, at, *rest)
        self.answers.setdefault(id, []).append(answer)
        self._count_own(id, who, 1)
        self._row_of[event.id] = id
        self._holds.get(id, {}).pop(who, None)
        self._update_decision(id)
        self._update_open(id)

    def _apply_undo(self, event, body):
        number, id = body["event"], body["id"]
        self.undone.add(number)
        self._count_own(id, body["who"], -1)
        self.answers[id] = [a for a in self.answers[id] if a.event != number]
        self._count_own(id, body["who"], 1)
        self._update_decision(id)
        if body["until"] is not None and (id in self.asked or id in self.test):
            self._holds.setdefault(id, {})[body["who"]] = body["until"]
        before = self.taught.get(id, self)
        self._update_taught(id)
        if self.taught.get(id, self) != before:
            self.unlearned.add(event.id)
        self._update_open(id)
        self._must_ask = True

    def _apply_note(self, event, body):
        notes = self.notes.pop(body["id"], {})
        notes.pop(body["who"], None)
        if body["text"]:
            notes[body["who"]] = ReviewNote(body["who"], body["text"], event.at)
        if notes:
            self.notes[body["id"]] = notes  # the row noted last is the last one

    def _apply_assign(self, event, body):
        self._holds.setdefault(body["id"], {})[body["who"]] = body["until"]

    def _apply_set(self, event, body):
        self.budget, self.budget_given = body["budget"], body["given"]
        self._must_ask = True

    def _count(self, id, by):
        """Count a row as what it is, or (-1) no longer."""
        is_wanted = id in self.asked or id in self.test
        decision = self.decisions.get(id)
        if decision is None:
            self.n_pending += by * is_wanted
        elif decision.label is SKIP:
            self.n_skipped += by * is_wanted
        else:
            self.by_class[decision.label] += by

    def _count_own(self, id, who, by):
        """Count the last answer of a person to a row, or (-1) no longer."""
        own = [a.label for a in self.answers.get(id, ()) if a.who == who]
        if own:
            self.by_person.setdefault(who, Counter())[own[-1]] += by

    def _set_taught(self, id, decision):
        """Note what the learner was taught of a row; None: nothing."""
        self.n_taught -= self.taught.pop(id, SKIP) is not SKIP
        if decision:
            self.taught[id] = decision.label
            self.n_taught += decision.label is not SKIP

    def _update_decision(self, id):
        """Note what a row is now that an answer came or went."""
        self._count(id, -1)
        n_votes = self.votes_of(id)
        self.disputes.pop(id, None)
        if is_disputed(self.answers[id], n_votes):
            self.disputes[id] = None
        decision = decided(self.answers[id], n_votes)
        if decision:
            self.decisions[id] = decision
        else:
            self.decisions.pop(id, None)
        self._count(id, 1)

    def _update_open(self, id):
        """Put a row where it belongs now that an answer came or went."""
        if id not in self.test:
            self._changed[id] = None
        if self.decision(id):
            self._holds.pop(id, None)
            if id in self.open:
                self.open.remove(id)
        elif (id in self.asked or id in self.test) and id not in self.open:
            self.open.insert(0, id)

    def _update_taught(self, id):
        """Note what the learner was taught of a row, without what was undone."""
        decisions = (
            self.decision(id, number)
            for number in reversed(self._teach_events.get(id, []))
        )
        self._set_taught(id, next(filter(None, decisions), None))
        now = self.decision(id)
        if not now or self._knows(now):
            self._changed.pop(id, None)
