"""The file of results: a line for each run, appended when it has ended."""

import csv
from pathlib import Path
from typing import NamedTuple, get_type_hints

import numpy as np


def numbers(text):
    """Return the numbers of a field that holds several."""
    return [float(number) for number in text.split()]


class Result(NamedTuple):
    """A run: what was run, on what, and its `Outcome`."""

    regime: str
    set: str
    model: str
    method: str
    order: int
    C: float
    n_classes: int
    n_pool: int
    n_test: int
    query_ms: float
    train_ms: float
    worst_ms: float
    accuracy: list
    balanced: list
    rare: list

    @property
    def key(self):
        """What no other run has."""
        return self[:5]

    def after(self, n_labels, score="accuracy", batch_size=10):
        """Return a score after this number of labels or "end", None beyond the end."""
        curve = getattr(self, score)
        i = -1 if n_labels == "end" else n_labels // batch_size - 1
        return curve[i] if i < len(curve) else None

    @property
    def area(self):
        """Mean accuracy over the curve."""
        return np.mean(self.accuracy)

    @property
    def final(self):
        """Accuracy with all labels bought."""
        return self.accuracy[-1]

    @property
    def balanced_area(self):
        """Mean balanced accuracy over the curve."""
        return np.mean(self.balanced)

    @property
    def balanced_final(self):
        """Balanced accuracy with all labels bought."""
        return self.balanced[-1]


def append(file, result):
    """Write a run at the end of a file, in one go."""
    file = Path(file)
    is_new = not file.exists()
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(result._fields)
        writer.writerow(
            " ".join(f"{number:.4f}".rstrip("0").rstrip(".") for number in field)
            if isinstance(field, list)
            else field
            for field in result
        )


def read(file, result=Result):
    """Return the runs in a file, none if there is no such file."""
    if not Path(file).exists():
        return []
    kinds = get_type_hints(result)
    kinds |= {name: numbers for name, kind in kinds.items() if kind is list}
    with Path(file).open(newline="", encoding="utf-8") as stream:
        return [
            result(**{name: kinds[name](field) for name, field in row.items()})
            for row in csv.DictReader(stream)
        ]
