"""Decisions on the rows of a session: they follow from the facts, and are not stored.

`decide` is the rule. `Decisions` holds all rows with their decisions, and what front
ends ask for: the queue, the news for the learner, and counts. A change of one fact on
a row decides this row again and nothing else.
"""

import json
from collections import Counter, defaultdict
from itertools import chain
from typing import NamedTuple

from ._labels import SEVERAL, to_column

#: States of a row.
OPEN, LABELLED, SKIPPED, DISPUTED = "open", "labelled", "skipped", "disputed"
#: Why a row has facts: it is held out, the learner asked for it, or nobody did.
TEST, QUERY, GIVEN = "test", "query", "given"


class Answer(NamedTuple):
    """An answer of a person; the fields are the columns of ``answers``."""

    number: int
    id: object
    label: object  # as the column holds it; None is a skip
    who: str | None
    at: str
    is_final: int
    reason: str | None = None  # of a skip
    tags: str | None = None  # a list of JSON; None: no tags
    renamed_from: object = None
    withdrawn_at: str | None = None
    withdrawn_by: str | None = None

    @property
    def tag_list(self):
        return json.loads(self.tags or "[]")


class Note(NamedTuple):
    """Note of a person on a row; the fields are the columns of ``notes``."""

    number: int
    id: object
    who: str | None
    text: str
    at: str


class Requested(NamedTuple):
    """A request for a row; the fields are the columns of ``requests``."""

    number: int
    id: object
    purpose: str
    probability: float | None
    learner: int
    query: int
    queue: int | None
    query_reason: str | None  # why, in a word; held-out rows have none
    at: str
    twin: object  # the row that was asked for, if `id` stands for it


class Taught(NamedTuple):
    """A row as the learner was taught it; the fields are the columns of ``taught``."""

    id: object
    label: object  # as the column holds it; None: no label will come
    call: int  # in which the row was taught first
    place: int  # in the call
    changed: int  # the last call that was about the row
    query: int  # after which the row was taught first


class Decision(NamedTuple):
    """State of one row, as it follows from its answers."""

    state: str
    label: object  # None unless the state is "labelled"
    decided: int  # number of the answer that decided; 0 if the row is not decided
    standing: tuple[Answer, ...]  # answers that count
    n_votes: int  # number of people who have voted
    wanted: int  # number of votes needed in all; 0 if the row is decided


def count_votes(votes, kind):
    """Return the label that most people gave, and the labels on which votes are tied.

    Parameters
    ----------
    votes : list
        The vote of each person as a column holds it; None is a skip.
    kind : str or None
        Kind of the labels. Several labels of a row are decided one by one: a row gets
        each label that more than half of those who did not skip it have chosen.

    Returns
    -------
    label : object
        As a column holds it; None: the row is skipped.
    tied : list or None
        Labels on which votes are tied, all answers if rows have one label or half of
        the people have skipped the row; None: the label is decided.
    """
    if kind != SEVERAL:
        counts = Counter(votes).most_common()
        tied = [label for label, n in counts if n == counts[0][1]]
        return counts[0][0], tied if len(tied) > 1 else None
    given = [json.loads(vote) for vote in votes if vote is not None]
    counts, n_skips = Counter(chain(*given)), len(votes) - len(given)
    if n_skips >= len(given):
        return None, [*counts] if n_skips == len(given) else None
    tied = sorted(label for label, n in counts.items() if 2 * n == len(given))
    chosen = [label for label, n in counts.items() if 2 * n > len(given)]
    return to_column(chosen), tied or None


def decide(answers, votes, kind=None):
    """Return the decision on a row.

    A final answer decides. Otherwise, with one vote, the last answer decides; with
    several, that number of people have to vote, and one answer has to be more frequent
    than each other answer (of several labels, each is decided). In a tie one more
    person is asked.

    Parameters
    ----------
    answers : sequence of Answer
        Answers that were not withdrawn, in order.
    votes : int
        Number of people who are asked.
    kind : str, default=None
        Kind of the labels.
    """
    last_votes = {each.who: each for each in answers if not each.is_final}
    finals = [each for each in answers if each.is_final]
    final = finals[-1] if finals else None
    is_each = len(last_votes) == len(answers)  # one tuple for most rows, not two
    ordered = tuple(answers if is_each else sorted(last_votes.values()))
    standing, n_votes = ordered[-1:] if votes == 1 else ordered, len(last_votes)
    label, winner = None, final
    if final is not None:
        label = final.label
        standing = (final,) if votes == 1 else (*standing, final)
    elif votes == 1 and standing:
        winner, label = standing[0], standing[0].label
    elif n_votes >= votes:
        label, tied = count_votes([each.label for each in ordered], kind)
        if tied is not None:
            return Decision(DISPUTED, None, 0, standing, n_votes, n_votes + 1)
        winner = answers[-1]
    if winner is None:
        return Decision(OPEN, None, 0, standing, n_votes, votes)
    state = SKIPPED if label is None else LABELLED
    return Decision(state, label, winner.number, standing, n_votes, 0)


class Row(NamedTuple):
    """The facts on a row, and the decision that follows from them."""

    id: object
    requests: tuple[Requested, ...] = ()  # in order; empty: nobody asked for the row
    fewer_votes: int | None = None  # people who are asked; None: as in the settings
    taught: Taught | None = None
    notes: tuple[Note, ...] = ()  # in order
    answers: tuple[Answer, ...] = ()  # in order, without withdrawn answers
    # and the fields of the `Decision`: one value in place of two opens files quicker
    state: str = OPEN
    label: object = None
    decided: int = 0
    standing: tuple[Answer, ...] = ()
    n_votes: int = 0
    wanted: int = 0

    @property
    def request(self):
        """The last request; None without one."""
        return self.requests[-1] if self.requests else None

    @property
    def kind(self):
        if not self.requests:
            return GIVEN
        return TEST if self.requests[-1].purpose == TEST else QUERY

    @property
    def answered(self):
        """Number of the last answer; 0 without answers."""
        return self.answers[-1].number if self.answers else 0

    @property
    def is_decided(self):
        return self.wanted == 0

    @property
    def is_queued(self):
        """True if the row waits for an answer; nobody has to answer a given row."""
        is_placed = self.requests and self.requests[-1].queue is not None
        return bool(is_placed) and not self.is_decided

    @property
    def has_taught_label(self):
        """True if the learner knows a label of the row."""
        return self.taught is not None and self.taught.label is not None

    @property
    def is_news(self):
        """True if the learner is to be taught a decision that it does not know."""
        is_known = self.taught is not None and self.taught.label == self.label
        return self.is_decided and not is_known and self.kind != TEST

    @property
    def finals(self):
        return [each for each in self.answers if each.is_final]

    @property
    def votes(self):
        """Answers that are not final."""
        return [each for each in self.answers if not each.is_final]

    def has_answer_of(self, who):
        return any(each.who == who for each in self.answers)


class Decisions:
    """All rows that have facts, with their decisions.

    Parameters
    ----------
    votes : int
        Number of people who are asked for a label of each row.
    kind : str or None
        Kind of the labels.

    Attributes
    ----------
    rows : dict of id to Row
        Rows that were asked for, answered or noted.
    answers : dict of int to Answer
        Answers that were not withdrawn, by number, in order.
    leases : dict of id to dict of str to float
        Until when rows are kept for people, in seconds since 1970; the first lease of a
        row comes first.
    counts : Counter
        Number of rows of each (kind, state, label).
    people : dict of str to Counter
        Number of rows with each last answer (None: a skip) of a person.
    n_taught : int
        Number of labels that the learner was taught.
    n_requests : int
        Number of requests, of which a row may have several.
    """

    def __init__(self, votes, kind):
        self.votes, self.kind = votes, kind
        self.rows, self.answers, self.leases = {}, {}, {}
        self.counts, self.people = Counter(), defaultdict(Counter)
        self.n_taught = self.n_requests = 0
        self._queued, self._news = {}, {}

    def __getitem__(self, id):
        """Return a row; one without facts is open."""
        found = self.rows.get(id)
        return self._decide(Row(id)) if found is None else found

    def count_wanted(self, row):
        """Return the number of people who are asked for a label of a row."""
        fewer = row.fewer_votes
        return self.votes if fewer is None else min(self.votes, fewer)

    def _decide(self, row):
        decision = decide(row.answers, self.count_wanted(row), self.kind)
        return Row(*row[: -len(decision)], *decision)

    def put(self, id, **facts):
        """Replace facts on a row, and decide it again; return the row."""
        before = self.rows.pop(id, None)
        row = Row(id, **facts) if before is None else before._replace(**facts)
        row = self._decide(row)
        if before is not None:
            self._count(before, -1)
        if row.requests or row.answers or row.notes or row.taught:
            self.rows[id] = row
            self._count(row, 1)
        for rows, is_in in (self._queued, row.is_queued), (self._news, row.is_news):
            if is_in:
                rows[id] = row
            else:
                rows.pop(id, None)
        return row

    def _count(self, row, change):
        self.counts[row.kind, row.state, row.label] += change
        self.n_requests += change * len(row.requests)
        self.n_taught += change * row.has_taught_label
        for who, label in {each.who: each.label for each in row.answers}.items():
            self.people[who][label] += change

    @property
    def queue(self):
        """Rows that wait for an answer, in the order in which they are shown."""
        return sorted(self._queued.values(), key=lambda row: row.request.queue)

    @property
    def requests(self):
        """All requests, in order."""
        return sorted(chain.from_iterable(row.requests for row in self.rows.values()))

    @property
    def taught(self):
        """The `Taught` of each row that the learner was taught, in any order."""
        return [row.taught for row in self.rows.values() if row.taught]

    @property
    def has_news(self):
        return bool(self._news)

    @property
    def news(self):
        """Rows whose decisions the learner does not know, in the order of these."""
        return sorted(self._news.values(), key=lambda row: row.decided)

    def labelled(self):
        """Return rows with a label, in the order of the decisions."""
        found = [row for row in self.rows.values() if row.state == LABELLED]
        return sorted(found, key=lambda row: row.decided)

    def find_free_row(self, who, at):
        """Return the row that a person is to label, None if there is none.

        Parameters
        ----------
        who : str or None
            The person.
        at : float
            The time in seconds since 1970.
        """
        queue = self.queue
        held = [row for row in queue if who in self.leases.get(row.id, ())]
        free = (row for row in chain(held, queue) if self._is_free(row, who, at))
        return next(free, None)

    def _is_free(self, row, who, at):
        """Return True if a person may label a row now.

        They have not voted on it, and those who hold it leave a vote open. Somebody who
        holds a row waits only for those who held it before.
        """
        voters = {each.who for each in row.votes}
        if who in voters:
            return False
        n_expected = row.n_votes
        for other, until in self.leases.get(row.id, {}).items():
            if until <= at or other in voters:
                continue
            if other == who:  # later leases do not count
                break
            n_expected += 1
        return n_expected < row.wanted

    def last_answer(self, who, id=None):
        """Return the last answer of a person to any row or to one; None without one."""
        answers = self.answers.values() if id is None else self[id].answers
        return next((each for each in reversed(answers) if each.who == who), None)

    def count_answers(self, who):
        """Return the number of rows with each last answer of a person (None: skip)."""
        return in_order(self.people.get(who, {}))

    def people_in_order(self):
        """Return the people who have answered, by name."""
        return [*in_order({who: len(self.count_answers(who)) for who in self.people})]

    def count_states(self):
        """Return the number of rows of each (kind, state)."""
        states = Counter()
        for (kind, state, _), n in self.counts.items():
            states[kind, state] += n
        return states

    def count_labels(self):
        """Return the number of rows with each label."""
        labels = Counter()
        for kind in (GIVEN, QUERY, TEST):
            of_kind = {key[2]: n for key, n in self.counts.items() if key[0] == kind}
            labels.update(in_order(of_kind))
        labels.pop(None, None)
        return labels


def in_order(counts):
    """Return counts above 0 by label or name, None first."""
    found = [key for key, n in counts.items() if n]
    found.sort(key=lambda key: (key is not None, key))
    return {key: counts[key] for key in found}
