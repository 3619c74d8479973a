"""Progress of a session and of each person: numbers of rows, and minutes."""

from datetime import datetime
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from ..utils.typing import Label
from .storage._decisions import DISPUTED, GIVEN, LABELLED, SKIPPED, TEST
from .storage._labels import SEVERAL, from_column, to_column

#: A gap of more seconds between two answers is a break.
BREAK = 180.0

#: No person answers within fewer seconds; imported answers come so.
QUICKEST = 0.2

#: With fewer answers of one person in sittings there is no pace.
FEWEST_ANSWERS = 10

#: Number of a person's last gaps that count, because people become quicker, and of the
#: last answers of all people among which they are looked for.
N_LATEST, MOST_ANSWERS = 100, 500


class Status(NamedTuple):
    """Progress of a session, or of one person, as numbers of rows."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the held-out rows, rows with a label
    skipped: int  # of these, rows that get no label
    pending: int  # of these, rows that are not decided
    left: int | None  # labels that the budget still allows; None: no limit
    n_test: int  # held-out rows
    n_taught: int  # labels that the learner was taught
    by_class: dict[Label, int]  # rows with each label
    stop_reason: str | None
    disputed: int = 0  # rows on which people disagree
    test_left: int = 0  # held-out rows that are not decided
    empty: int = 0  # rows without content, which are not asked for
    labelled: int = 0  # rows with a label, asked for or not
    no_label: int = 0  # of these, rows whose answer is that no label applies
    to_label: int | None = None  # rows that the budget still allows to be labelled
    seconds_per_label: float | None = None  # of the people who label now, together
    minutes_left: tuple[float, float] | None = None  # for these rows; nine in ten
    twins: int = 0  # rows that are not asked for, because an equal row is


def read_status(facts, ids, n_empty):
    """Return the progress of a session with these `Ids`, some of empty rows."""
    decisions, budget = facts.decisions, facts.learner["budget"]
    states, labels = decisions.count_states(), decisions.count_labels()

    def count(state=None, *, of_test=False):
        return sum(
            n
            for (kind, each), n in states.items()
            if state in (None, each) and (kind == TEST if of_test else kind != GIVEN)
        )

    n_test, n_asked = count(of_test=True), count() - count(of_test=True)
    n_labelled, n_skipped = count(LABELLED), count(SKIPPED)
    n_test_decided = count(LABELLED, of_test=True) + count(SKIPPED, of_test=True)
    left = None if budget is None else budget - (decisions.n_requests - n_test)
    n_pending, n_known = count() - n_labelled - n_skipped, sum(labels.values())
    to_label = None
    if left is not None:
        n_open = len(ids) - len(ids.copies) - n_known - n_skipped - n_empty
        to_label = max(0, min(left + n_pending, n_open))
    pace = read_pace(decisions)
    return Status(
        asked=n_asked,
        answered=n_labelled,
        skipped=n_skipped,
        pending=n_pending,
        left=left,
        n_test=n_test,
        n_taught=decisions.n_taught,
        by_class=count_classes(facts, labels),
        stop_reason=find_stop_reason(facts),
        disputed=count(DISPUTED) + states[GIVEN, DISPUTED],
        test_left=n_test - n_test_decided,
        empty=n_empty,
        labelled=n_known,
        no_label=labels.get(to_column([]), 0),
        to_label=to_label,
        seconds_per_label=pace and pace.seconds_per_label,
        minutes_left=pace.minutes(to_label, to_label) if pace and to_label else None,
        twins=len(ids.copies),
    )


def read_status_of(facts, who, status):
    """Return the progress of a person; `status` is the progress of the session."""
    counts = facts.decisions.count_answers(who)
    n_skipped = counts.pop(None, 0)
    return status._replace(
        answered=sum(counts.values()),
        skipped=n_skipped,
        pending=sum(not row.has_answer_of(who) for row in facts.decisions.queue),
        by_class=count_classes(facts, counts),
        labelled=sum(counts.values()),
        no_label=counts.get(to_column([]), 0),
    )


def count_classes(facts, counts):
    """Return the number of rows with each label; classes without rows as 0."""
    kind, classes = facts.decisions.kind, facts.settings["classes"]
    found = dict.fromkeys(classes or (), 0)
    for column, n in counts.items():
        label = from_column(column, kind)
        for each in label if kind == SEVERAL else [label]:
            found[each] = found.get(each, 0) + n
    return found


def find_stop_reason(facts):
    """Return why no more rows are asked for; None while there are some."""
    states = {row.state for row in facts.decisions.queue}
    if states - {DISPUTED} or facts.decisions.has_news:
        return None
    stop_reason = facts.learner["stop_reason"]
    return DISPUTED if states and stop_reason is not None else stop_reason


class Pace(NamedTuple):
    """The time that the people of a session take, who answer side by side."""

    seconds_per_label: float  # median gap; of several people, of all together
    mean: float  # mean gap of all together, in seconds
    spread: float  # standard deviation of a gap, as a share of the mean
    n_gaps: float  # gaps behind the mean; of several people, of one with this accuracy
    votes: int = 1  # answers that a row needs

    def minutes(self, n_low: int, n_high: int) -> tuple[float, float]:
        """Return the range of the minutes for the labels of some rows, without breaks.

        Parameters
        ----------
        n_low, n_high : int
            Fewest and most rows.

        Returns
        -------
        low, high : float
            Ends of a range that holds the sum of the gaps in nine of ten cases, if
            gaps of one person are independent of each other.
        """
        ends = []
        for n, sign in ((n_low * self.votes, -1), (n_high * self.votes, 1)):
            # relative, of the sum of n gaps and of the mean of the gaps so far; ratios
            # of positive numbers are closer to normal in logarithms
            deviation = self.spread * np.sqrt(1 / max(n, 1) + 1 / self.n_gaps)
            quantile = sign * stdtrit(self.n_gaps - 1, 0.95)
            ends.append(float(n * self.mean * np.exp(quantile * deviation)) / 60)
        return ends[0], ends[1]


def find_gaps(times):
    """Return the seconds between answers of one sitting, from the times of a person.

    Parameters
    ----------
    times : sequence of float
        Seconds, in the order of the answers. A clock that was set back makes no gap.
    """
    gaps = np.diff(np.asarray(times, dtype=float))
    return gaps[(gaps >= QUICKEST) & (gaps <= BREAK)][-N_LATEST:]


def find_pace(times_of_people):
    """Return the pace of the people who answer now, or None if nobody has one.

    Parameters
    ----------
    times_of_people : list of sequence of float
        Seconds of the answers of each person, in their order. People count who have
        answered within a break of the last answer of all.
    """
    present = [times for times in times_of_people if len(times)]
    last = max((times[-1] for times in present), default=0.0)
    all_gaps = [find_gaps(times) for times in present if last - times[-1] <= BREAK]
    all_gaps = [gaps for gaps in all_gaps if len(gaps) >= FEWEST_ANSWERS - 1]
    if not all_gaps:
        return None
    # labels a second add up, and with them the errors of the rates
    rates = np.array([1 / np.mean(gaps) for gaps in all_gaps])
    shares = rates / rates.sum()
    sizes = np.array([len(gaps) for gaps in all_gaps])
    # of log-normal gaps: a few gaps rarely have a long one among them
    squares = [np.expm1(np.var(np.log(gaps), ddof=1)) for gaps in all_gaps]
    of_gap, of_mean = np.sum(shares * squares), np.sum(shares**2 * squares / sizes)
    n_gaps = of_gap / of_mean if of_mean else sizes.sum()
    medians = np.array([np.median(gaps) for gaps in all_gaps])
    return Pace(
        seconds_per_label=float(1 / np.sum(1 / medians)),
        mean=float(1 / rates.sum()),
        spread=float(np.sqrt(of_gap)),
        n_gaps=float(n_gaps),
    )


def read_pace(decisions):
    """Return the pace of the people of a session by their last answers, or None."""
    answers = islice(reversed(decisions.answers.values()), MOST_ANSWERS)
    times = {}
    for answer in answers:
        at = datetime.fromisoformat(answer.at).timestamp()
        times.setdefault(answer.who, []).insert(0, at)
    pace = find_pace([*times.values()])
    return pace and pace._replace(votes=decisions.votes)
