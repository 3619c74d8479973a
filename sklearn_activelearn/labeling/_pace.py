"""The time that people take for a label, and for the labels that are left."""

from datetime import datetime
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

#: A gap of more seconds between two answers is a break.
BREAK = 180.0

#: No person answers within fewer seconds; imported answers come so.
QUICKEST = 0.2

#: With fewer answers of one person in sittings there is no pace.
FEWEST_ANSWERS = 10

#: Number of a person's last gaps that count, because people become quicker, and of the
#: last answers of all people among which they are looked for.
N_LATEST, MOST_ANSWERS = 100, 500


class Pace(NamedTuple):
    """The time that the people of a session take, who answer side by side."""

    seconds_per_label: float  # median gap; of several people, of all together
    mean: float  # mean gap of all together, in seconds
    spread: float  # standard deviation of a gap, as a share of the mean
    n_gaps: float  # gaps behind the mean; of several people, of one with this accuracy

    def minutes(self, n_low: int, n_high: int) -> tuple[float, float]:
        """Return the range of the minutes for a number of labels, without breaks.

        Parameters
        ----------
        n_low, n_high : int
            Fewest and most labels.

        Returns
        -------
        low, high : float
            Ends of a range that holds the sum of the gaps in nine of ten cases, if
            gaps of one person are independent of each other.
        """
        ends = []
        for n, sign in ((n_low, -1), (n_high, 1)):
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
    return find_pace([*times.values()])
