"""What a person who pays for labels would write down, slow and obvious.

Rows are tuples of numbers, compared exactly.
"""

from dataclasses import dataclass, field


def same(first, second):
    return tuple(first) == tuple(second)


def values_of(X):
    return tuple(map(tuple, X))


@dataclass(eq=False)
class Entry:
    """A row that was asked for, or taught unasked."""

    values: tuple
    row: int | None = None  # number in the pool when it was asked for
    place: int | None = None  # where it was in the last pool
    is_billed: bool = False
    standing: str = "out"  # or "taught" or "skipped"
    label: object = None
    turn: int = -1  # when it was taught, among all labels


@dataclass
class ReferenceLedger:
    """All entries, in the order in which they came.

    A stream forgets rows that are taught or skipped; a pool does not.
    """

    is_stream: bool = False
    entries: list = field(default_factory=list)
    n_taught: int = 0
    n_skipped: int = 0
    pool: tuple | None = None  # in which entries were searched
    n_sought: int = 0  # how many there were then

    def ask(self, X, rows):
        for row in rows:
            number = None if self.is_stream else row
            self.entries.append(Entry(tuple(X[row]), number, number, is_billed=True))

    def find(self, X, standings):
        """Return the entry for each row, None for none."""
        found = [None] * len(X)
        for standing in standings:
            for i, values in enumerate(X):
                for entry in self.entries:
                    if (
                        found[i] is None
                        and entry.standing == standing
                        and not any(entry is other for other in found)
                        and same(entry.values, values)
                    ):
                        found[i] = entry
        return found

    def teach(self, X, labels):
        standings = ["out"] if self.is_stream else ["out", "skipped"]
        for entry, values, label in zip(
            self.find(X, standings), X, labels, strict=True
        ):
            if entry is None:
                entry = Entry(tuple(values))
                self.entries.append(entry)
            entry.standing, entry.label, entry.turn = "taught", label, self.n_taught
            self.n_taught += 1
        if self.is_stream:
            self.entries = [e for e in self.entries if e.standing == "out"]

    def skip(self, X=None):
        """Return how many rows were skipped, or None if one of them is not out."""
        entries = self.out if X is None else self.find(X, ["out"])
        if any(entry is None for entry in entries):
            return None
        for entry in entries:
            entry.standing = "skipped"
        if self.is_stream:
            self.n_skipped += len(entries)
            self.entries = [e for e in self.entries if e.standing == "out"]
        return len(entries)

    def correct(self, X, labels):
        """Return whether all rows had been taught."""
        taught = [e for e in self.entries if e.standing == "taught"]
        latest = sorted(taught, key=lambda entry: -entry.turn)
        changes = []
        for values, label in zip(X, labels, strict=True):
            equal = [e for e in latest if same(e.values, values)]
            if not equal:
                for entry, before in reversed(changes):
                    entry.label = before
                return False
            for entry in equal:
                if entry.label != label:
                    changes.append((entry, entry.label))
                    entry.label = label
                    break
        return True

    def look(self, X, is_for_sale):
        """Note where each entry is in X."""
        places, is_searched = self.search(X, is_for_sale)
        for entry, place in zip(self.entries, places, strict=True):
            entry.place = place
        if is_searched:
            self.pool, self.n_sought = values_of(X), len(self.entries)
        return places

    def search(self, X, is_for_sale):
        places = [None] * len(self.entries)

        def stay(number):
            for i, entry in enumerate(self.entries):
                row = getattr(entry, number)
                if (
                    places[i] is None
                    and row is not None
                    and row < len(X)
                    and row not in places
                    and same(X[row], entry.values)
                ):
                    places[i] = row

        def is_lost(i, entry):
            is_absent = is_same and i < self.n_sought and entry.place is None
            return places[i] is None and not is_absent

        stay("place")
        stay("row")
        is_same = self.pool == values_of(X)
        if not any(is_lost(i, entry) for i, entry in enumerate(self.entries)):
            return places, False
        for i, entry in enumerate(self.entries):
            if places[i] is not None:
                continue
            free = [
                row
                for row in range(len(X))
                if row not in places and same(X[row], entry.values)
            ]
            if free:
                places[i] = min(free, key=lambda row: (is_for_sale[row], row))
        return places, True

    def for_sale(self, X, candidates):
        """Return the row numbers of X that may be bought."""
        if not len(X):
            return []
        is_for_sale = [row in candidates for row in range(len(X))]
        taken = self.look(X, is_for_sale)
        return [row for row in candidates if row not in taken]

    def pending(self, X):
        """Return the row numbers of X that are out, in the order asked."""
        if self.is_stream:
            rows = [
                (self.entries.index(entry), row)
                for row, entry in enumerate(self.find(X, ["out"]))
                if entry is not None
            ]
            return [row for _, row in sorted(rows)]
        places, _ = self.search(X, [False] * len(X))
        return [
            place
            for place, entry in zip(places, self.entries, strict=True)
            if entry.standing == "out" and place is not None
        ]

    @property
    def out(self):
        return [entry for entry in self.entries if entry.standing == "out"]

    @property
    def labels(self):
        """The labels, in the order in which they were taught."""
        taught = [e for e in self.entries if e.standing == "taught"]
        return [e.label for e in sorted(taught, key=lambda entry: entry.turn)]
