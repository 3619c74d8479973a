"""The answers to one row, and the decision that follows from them."""

from collections import Counter
from typing import Any, NamedTuple

#: Stands for "there will be no label".
SKIP = None


class Answer(NamedTuple):
    """The answer of one person."""

    event: int  # its number in the journal
    id: Any
    label: Any  # or `SKIP`
    who: str | None
    at: str
    is_final: bool = False  # it decides, and is no vote
    reason: str | None = None  # of a skip


class ReviewNote(NamedTuple):
    """The note of a person on a row, as it stands."""

    who: str | None
    text: str
    at: str  # ISO 8601, UTC


class Decision(NamedTuple):
    """What a row is, or that it is skipped."""

    event: int  # the answer that decided it
    id: Any
    label: Any


def votes_among(answers):
    """Return the last vote of each person."""
    return {answer.who: answer for answer in answers if not answer.is_final}


def deciding_answer(answers):
    """Return the last of the final answers, None if there are none."""
    finals = (answer for answer in reversed(answers) if answer.is_final)
    return next(finals, None)


def decided(answers, n_votes, until=None):
    """Return the decision that follows from the answers to a row, None if none does.

    A final answer is the decision. Else, with one vote the last answer is. With more,
    it takes that many people, and one answer more frequent than any other.

    Parameters
    ----------
    answers : list of Answer
        In the order in which they came.
    n_votes : int
        People asked about each row.
    until : int, optional
        The last event that counts.
    """
    if until is not None:
        answers = [answer for answer in answers if answer.event <= until]
    if not answers:
        return None
    last = deciding_answer(answers) or answers[-1]
    if n_votes == 1 or last.is_final:
        return Decision(last.event, last.id, last.label)
    votes = votes_among(answers).values()
    if len(votes) < n_votes or is_split(votes):
        return None
    ((label, _),) = Counter(vote.label for vote in votes).most_common(1)
    return Decision(last.event, last.id, label)


def is_split(votes):
    """Whether no answer of several is more frequent than any other."""
    counts = Counter(vote.label for vote in votes).most_common(2)
    return len(counts) > 1 and counts[0][1] == counts[1][1]


def is_disputed(answers, n_votes):
    """Whether enough people have voted on a row, and it is not decided."""
    if n_votes == 1 or deciding_answer(answers) is not None:
        return False
    votes = votes_among(answers).values()
    return len(votes) >= n_votes and is_split(votes)


def n_wanted(answers, n_votes):
    """Return how many people must have answered a row that is not decided yet."""
    return max(n_votes, len(votes_among(answers)) + 1)
