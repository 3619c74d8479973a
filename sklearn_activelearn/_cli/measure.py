"""The measure of a comparison: which one, why, and its values in words."""

from dataclasses import dataclass

import numpy as np

from ..evaluation._measures import ERRORS, MOSTLY, measure_name


@dataclass(frozen=True)
class Measure:
    """A measure and how it is shown.

    Attributes
    ----------
    scoring : str
        As for `label_curve`.
    why : str
        Why it was chosen; empty if the user did, or if it is the error.
    """

    scoring: str
    why: str = ""

    @property
    def is_error(self):
        """Whether it is shown as an error, in percent."""
        return self.scoring in ERRORS

    @property
    def is_loss(self):
        """Whether smaller values are better, as they are shown."""
        return self.is_error or self.scoring.startswith("neg_")

    @property
    def name(self):
        """What it is called."""
        return measure_name(self.scoring)

    def number(self, error):
        """Return the value that belongs to an error, without its unit."""
        if self.is_error:
            return percent(error, 1)
        value = error if self.is_loss else 1 - error
        return "–" if np.isnan(value) else f"{value:.3f}"

    def text(self, error):
        """Return the value that belongs to an error, with its unit."""
        return self.number(error) + " %" * self.is_error

    def difference(self, low, high):
        """Return two differences of errors and what they mean, in words."""
        scale, digits, unit = (100, 1, " points") if self.is_error else (1, 3, "")
        ends = f"{scale * low:.{digits}f}–{scale * high:.{digits}f}"
        return f"{ends}{unit} {'less' if self.is_loss else 'more'}"

    @property
    def article(self):
        """The name with an article."""
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"


def default_measure(y):
    """Return the error, or the balanced error where one class has most labels."""
    most = most_frequent(y)
    share = float(np.mean(y.astype(str) == most))
    if share <= MOSTLY:
        return Measure("accuracy")
    why = (
        f"the mean over classes, because {percent(share)} % of the labels are {most!r}"
    )
    return Measure("balanced_accuracy", why)


def most_frequent(y):
    """Return the name of the class with the most labels."""
    classes, counts = np.unique(y, return_counts=True)
    return str(classes[counts.argmax()])


def percent(value, digits=0):
    """Return a share in percent; a dash if it is not known."""
    return "–" if np.isnan(value) else f"{100 * value:.{digits}f}"
