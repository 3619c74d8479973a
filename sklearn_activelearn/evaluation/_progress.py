"""Progress of long experiments, and what is left of one after Ctrl-C."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._curves import LabelCurve
    from ._target import Tuning
from typing import Any


class ExperimentInterrupted(KeyboardInterrupt):
    """Ctrl-C ended an experiment; what was measured until then is here.

    It stops a script as any Ctrl-C does. In a notebook, where nobody caught it,
    ``sys.last_value.result`` is the result.

    Attributes
    ----------
    result : LabelCurve or Tuning
        The runs, or the settings, that had come to an end.
    """

    def __init__(self, message: str, result: "LabelCurve | Tuning[Any]"):
        super().__init__(message)
        self.result = result


@contextmanager
def reporting(progress, what):
    """Yield a function of (done, total) that shows how far an experiment is.

    Parameters
    ----------
    progress : bool or callable
        False shows nothing, True a bar; a function is called itself.
    what : str
        Stands beside the bar.
    """
    if callable(progress):
        yield progress
        return
    if not isinstance(progress, bool):
        raise TypeError(f"progress must be True, False or callable, got {progress!r}.")
    if not progress:
        yield lambda done, total: None
        return
    try:
        from rich.progress import MofNCompleteColumn, Progress
    except ImportError as error:
        raise ImportError("progress=True needs rich: pip install rich") from error
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
