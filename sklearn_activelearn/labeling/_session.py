"""A learner, the rows, and a file that outlives both."""

from typing import Any, NamedTuple


class Status(NamedTuple):
    """Where a session stands."""

    asked: int  # rows that the learner asked for
    answered: int  # of these and of the test rows, those with a label
    skipped: int
    pending: int  # rows asked for or put aside without an answer
    left: int | None  # labels that the budget allows yet; None: no limit
    n_test: int  # rows put aside
    n_taught: int  # labels that the model knows
    by_class: dict  # label -> how many rows have it, put aside or not
    stop_reason: str | None


class Predictions(NamedTuple):
    """What the model says of all rows of the pool."""

    ids: list
    labels: list
    probabilities: Any  # ndarray (n_rows, n_classes), or None: the model has none
    classes: list


class CurvePoint(NamedTuple):
    """How good the model was on the rows put aside."""

    n_labels: int  # taught
    accuracy: float
    n_test: int  # rows put aside that have a label now


class LabelingSession:
    """Signatures only, so far."""

    #: Seconds after which a row that somebody was given goes to somebody else.
    lease = 30 * 60

    def __init__(
        self, learner, pool, path, *, items=None, ids=None, classes=None,
        test_size=0, votes=1, ahead=0,
    ):  # fmt: skip
        raise NotImplementedError

    classes = None  # list of labels, or None: not told, they grow
    ids = None  # list of str or int, in the order of the pool
    learner = None  # the clone as it stands
    stop_reason = None  # str or None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def close(self):
        """Wait for training, close the file, give up the lock. Twice is fine."""

    def next(self, who=None):
        """Return the id of the row to label; None when nothing is left for `who`."""

    def row(self, id):
        """Return what to show: the item (str, dict-like Series ...) of this row."""

    def label(self, id, label, who=None):
        """Store a label; it is on disk when this returns. ValueError for bad ones."""

    def skip(self, id, reason=None, who=None):
        """Note that there will be no label."""

    def undo(self, who=None):
        """Take back the last label or skip of `who`; return the id of its row.

        ValueError if there is none, or a stream learner has learned it.
        """

    def status(self):
        """Return the `Status`."""

    def predictions(self):
        """Return `Predictions`; ValueError while there is no model."""

    def curve(self):
        """Return a list of `CurvePoint`, empty without test rows."""

    def advice(self):
        """Return one sentence."""

    def export(self, path):
        """Write labels to .csv or .json; return how many."""

    def import_labels(self, path):
        """Read labels from .csv or .json; all of them or, with an error, none."""
