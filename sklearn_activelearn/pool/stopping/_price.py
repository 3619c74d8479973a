"""The rule that weighs what labels gain against what they cost."""

from dataclasses import dataclass, field
from typing import Any

import joblib
import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from ..._net_gain import changes, net_share
from ..._typing import RowsLike
from ..._validation import check_number
from ._registry import Progress, StoppingRule


@dataclass(frozen=True, kw_only=True)
class LabelPrice(StoppingRule):
    """Stop when what the last labels gained is worth less than what they cost.

    It compares the model with that of some labels before, from `n_labels` labels after
    the first model on. The predictions that have changed for the rows of the pool bound
    what was gained, in either direction. Of these, 30 % net are taken to have become
    right (65 % right and 35 % wrong, if there are two classes): about what was measured
    on many data sets (see the user guide). Rows put aside correct that figure.

    Parameters
    ----------
    error : float > 0
        Price of all errors if every prediction were wrong: what one error costs, times
        the predictions that the model will be used for. The rows of the pool should be
        like those.
    label : float > 0
        Price of a label, in the same unit.
    n_labels : int >= 1, default=50
        How many labels are weighed at a time, at least. Fewer are quicker to stop, and
        more often by chance.
    validation : tuple (X, y), default=None
        Rows drawn at random that are never taught, and their labels. They weigh as
        much as the assumption if a hundred of their predictions have changed, so it
        takes hundreds of them to make a difference.

    Raises
    ------
    TypeError or ValueError
        From the learner that has it, for a price or a number outside its range, and
        rows that do not match their labels.

    Notes
    -----
    With n labels now, m at the model before, and different predictions for c of the N
    rows of the pool, it stops if::

        error * (c + 1) / (N + 1) * net < label * (n - m)
        net = (30 + right - wrong) / (100 + changed)

    One more is counted than has changed, because a small pool in which nothing changes
    proves little. The other counts are those of the validation rows, 0 without. The
    labels of these rows are paid for already and not weighed. Where learning pauses and
    goes on later, this rule ends it in the pause.

    References
    ----------
    .. [1] Z. Pullar-Strecker, K. Dost, E. Frank, J. Wicker, "Hitting the Target:
       Stopping Active Learning at the Cost-Based Optimum", Machine Learning, 2022 (the
       cost that stopping criteria should keep low).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_activelearn import MinMarginClassifier
    >>> from sklearn_activelearn.pool import LabelPrice
    >>> X, y = load_digits(return_X_y=True)
    >>> for n_predictions in (1_000, 10_000):
    ...     rule = LabelPrice(error=0.5 * n_predictions, label=0.1)
    ...     learner = MinMarginClassifier(
    ...         batch_size=10, stopping=rule, budget=None, random_state=0
    ...     )
    ...     print(learner.fit(X / 16, y).n_queries_, learner.stop_reason_)
    190 LabelPrice
    410 LabelPrice
    """

    error: float
    label: float
    n_labels: int = 50
    validation: tuple[RowsLike, ArrayLike] | None = field(
        default=None, repr=False, compare=False
    )
    #: Rules are looked up by their values, and arrays cannot be.
    _rows: str = field(init=False, repr=False)

    needs = ("predict",)

    def __post_init__(self):
        object.__setattr__(self, "_rows", joblib.hash(self.validation))

    def check(self) -> None:
        """Raise if a price or number is out of its range, or rows do not match."""
        check_number(self.error, "error", 0)
        check_number(self.label, "label", 0)
        check_number(self.n_labels, "n_labels", 1, closed="left", integer=True)
        if self.validation is None:
            return
        if not isinstance(self.validation, tuple) or len(self.validation) != 2:
            raise TypeError("validation must be a tuple of rows and their labels.")
        check_consistent_length(*self.validation)

    def judge(self, progress: Progress, memory: Any) -> tuple[bool, Any]:
        """Return whether to stop, and what to remember."""
        n = len(progress.labels)
        past = memory or []
        if not past or n - past[-1] >= self.n_labels / 5:
            past = [*past, n]
        n_before = [n_then for n_then in past if n - n_then >= self.n_labels]
        if not n_before:
            return False, past
        past = past[len(n_before) - 1 :]
        gain = self._gain(progress, progress.model_after(past[0]))
        return bool(self.error * gain < self.label * (n - past[0])), past

    def _gain(self, progress, before):
        """Return what accuracy the model has gained since an earlier one, about."""
        models = before, progress.model
        changed = np.not_equal(*(progress.of_all(model.predict) for model in models))
        share = (changed.sum() + 1) / (len(changed) + 1)
        if self.validation is None:
            return share * net_share()
        X, y = self.validation
        counts = changes(*(model.predict(X) for model in models), np.asarray(y))
        return share * net_share(*counts)
