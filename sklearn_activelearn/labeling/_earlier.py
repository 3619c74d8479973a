"""The model of a learner, trained on some of its labels."""

import numpy as np

from ..pool._training import seeded
from ..sources._containers import take

#: Why nothing is predicted.
NO_MODEL = (
    "There is no model yet: it comes with the next row, once labels of two classes are "
    "known."
)

#: The first model that was judged is late if it had so many labels.
LATE = 50


def late_start(state):
    """Return how many labels the last model had that was judged; 0 if others had few.

    Few are at most half of them, or less than `LATE`.
    """
    numbers = [model["n_taught"] for model in state.models]
    is_late = numbers and min(numbers) > max(numbers[-1] / 2, LATE - 1)
    return numbers[-1] if is_late else 0


def model_of_half(recorded, n_labels):
    """Return what a model of half the labels predicts for the rows put aside.

    Parameters
    ----------
    recorded : RecordedLearner
        Whose model it is.
    n_labels : int
        How many of its first labels to take half of.

    Returns
    -------
    models : list of dict
        That model, as an event has it; empty if none can be trained.
    """
    labels = list(recorded.taught.items())[:n_labels]
    half = np.random.default_rng(0).permutation(len(labels))[: n_labels // 2]
    try:
        rows, y = zip(*(labels[i] for i in half.tolist()), strict=True)
        model = seeded(trainable_model(recorded.learner), 0)
        model.fit(take(recorded.pool, list(rows)), np.array(y))
    except ValueError:  # a stream learner, or labels on which it cannot be trained
        return []
    predicted = model.predict(take(recorded.pool, recorded.test)).tolist()
    return [{"n_taught": len(half), "test": predicted}]


def trainable_model(learner):
    """Return the model of a learner, if it can be trained on any labelled rows."""
    model = getattr(learner, "estimator_", None)
    if model is None and learner._group is None:
        raise ValueError(
            "There is no model yet: it comes with the next row once two classes have "
            "labels."
        )
    if not (hasattr(model, "get_params") and hasattr(model, "fit")):
        raise ValueError(
            f"A {type(learner).__name__} has no model that labelled rows alone could "
            "train: say what to train, with estimator=."
        )
    return model


def comparable(history):
    """Return models with predictions for the same rows, and for how many.

    These are the rows of the last model if an early enough one has them all, else those
    that every model has.
    """
    n_labels, predicted = history[-1]
    whole = [each for each in history if len(each[1]) == len(predicted)]
    if whole[0][0] <= n_labels / 2:
        return whole, len(predicted)
    n = min(len(labels) for _, labels in history)
    return [(n_then, labels[:n]) for n_then, labels in history], n
