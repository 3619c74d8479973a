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


class Decision(NamedTuple):
    """What a row is, or that it is skipped."""

    event: int  # the answer that decided it
    id: Any
    label: Any


def votes_among(answers):
    """Return the last answer of each person."""
    return {answer.who: answer for answer in answers}


def decided(answers, n_votes, until=None):
    """Return the decision that follows from the answers to a row, None if none does.

    With one vote the last answer is the decision. With more, it takes that many people,
    and one answer more frequent than any other.

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
    last = answers[-1]
    if n_votes == 1:
        return Decision(last.event, last.id, last.label)
    votes = votes_among(answers).values()
    counts = Counter(vote.label for vote in votes).most_common(2)
    is_split = len(counts) > 1 and counts[0][1] == counts[1][1]
    if len(votes) < n_votes or is_split:
        return None
    label = counts[0][0]
    return Decision(last.event, last.id, label)


def n_wanted(answers, n_votes):
    """Return how many people must have answered a row that is not decided yet."""
    return max(n_votes, len(votes_among(answers)) + 1)
