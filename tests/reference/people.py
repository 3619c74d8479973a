"""Votes and agreement, computed slowly from their definitions."""

from itertools import permutations


class Votes:
    """The answers of several people, kept as a list from the first to the last."""

    def __init__(self, n_votes):
        self.n_votes, self.answers = n_votes, []

    def answer(self, row, who, label, is_final=False):
        """Somebody answers; nothing happens if it is what counts from them already."""
        if is_final:
            finals = [a for a in self.answers if a[0] == row and a[3]]
            known = finals[-1:] == [(row, who, label, True)]
        else:
            known = self.votes(row).get(who, ...) == label and label is not None
        if not known:
            self.answers.append((row, who, label, is_final))

    def undo(self, who):
        """Take back the last answer of a person; return its row, None for none."""
        for place in reversed(range(len(self.answers))):
            if self.answers[place][1] == who:
                return self.answers.pop(place)[0]
        return None

    def votes(self, row):
        """Return the last vote of each person."""
        votes = [answer for answer in self.answers if answer[0] == row]
        return {who: label for _, who, label, is_final in votes if not is_final}

    def is_tied(self, row):
        """Whether no label has more votes than each of the others."""
        given = list(self.votes(row).values())
        most = max(given.count(label) for label in given)
        return sum(given.count(label) == most for label in set(given)) > 1

    def decision(self, row):
        """Return a list of the label, None for a skip; empty while undecided."""
        finals = [label for r, _, label, final in self.answers if r == row and final]
        given = list(self.votes(row).values())
        if finals:
            return finals[-1:]
        if len(given) < self.n_votes or self.is_tied(row):
            return []
        return [max(given, key=given.count)]

    def disputed(self):
        """Return the rows with votes enough and no decision, with their votes."""
        rows = {row for row, *_ in self.answers}
        return {
            row: self.votes(row)
            for row in rows
            if len(self.votes(row)) >= self.n_votes and not self.decision(row)
        }

    def own(self, who):
        """Return the last answer of a person to each row, final or not."""
        return {row: label for row, w, label, _ in self.answers if w == who}


class LabelVotes(Votes):
    """The answers of several people to rows that may have several labels."""

    def decision(self, row):
        """Return a list of the labels; each is decided by those who did not skip."""
        finals = [label for r, _, label, final in self.answers if r == row and final]
        votes = list(self.votes(row).values())
        if finals:
            return finals[-1:]
        given = [vote for vote in votes if vote is not None]
        n_skips = len(votes) - len(given)
        if len(votes) < self.n_votes or n_skips == len(given):
            return []
        if n_skips > len(given):
            return [None]
        chosen = []
        for label in sorted({label for vote in given for label in vote}):
            n_for = sum(label in vote for vote in given)
            if n_for == len(given) - n_for:
                return []
            chosen += [label] * (n_for > len(given) - n_for)
        return [chosen]


def cohens_kappa(rows, first, second):
    """Cohen (1960), equation 1: (p_o - p_c) / (1 - p_c)."""
    n, labels = len(rows), {label for votes in rows for label in votes.values()}
    observed = sum(votes[first] == votes[second] for votes in rows) / n
    chance = sum(
        sum(votes[first] == label for votes in rows)
        / n
        * sum(votes[second] == label for votes in rows)
        / n
        for label in labels
    )
    return (observed - chance) / (1 - chance)


def nominal_alpha(rows):
    """Krippendorff (2004), chapter 11: 1 - D_o / D_e, from coincidences."""
    labels = sorted({label for votes in rows for label in votes.values()})
    coincidences = {(c, k): 0.0 for c in labels for k in labels}
    for votes in rows:
        for one, other in permutations(votes, 2):
            coincidences[votes[one], votes[other]] += 1 / (len(votes) - 1)
    totals = {c: sum(coincidences[c, k] for k in labels) for c in labels}
    n = sum(totals.values())
    observed = sum(o for (c, k), o in coincidences.items() if c != k)
    expected = sum(totals[c] * totals[k] for c in labels for k in labels if c != k)
    return 1 - (n - 1) * observed / expected
