"""Names that are checked before long imports: of learners and of classes."""

import argparse
from difflib import get_close_matches

from .. import __all__ as PUBLIC

#: Public classes that are no learners.
OTHERS = {
    "BatchMarginLossClassifier",
    "DecisionStumpClassifier",
    "OnePassSearchCV",
    "RankAverageClassifier",
}

LEARNERS = [name for name in PUBLIC if name not in OTHERS]


def class_name(text):
    """Return the name of the class that NAME[:param=value,...] describes.

    "Classifier" may be left out.

    Raises
    ------
    ValueError
        For a name that does not exist, with those that do.
    """
    name = text.partition(":")[0].removesuffix("Classifier")
    if f"{name}Classifier" in LEARNERS:
        return f"{name}Classifier"
    short = [learner.removesuffix("Classifier") for learner in LEARNERS]
    raise ValueError(f"there is no learner {name!r}; {choices(name, short)}")


def choices(name, names):
    """Return what a misspelt or shortened name may have meant, and all there are."""
    longer = [n for n in names if name and n.lower().startswith(name.lower())]
    close = longer or get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}, of " if close else "there are "
    return f"{hint}{', '.join(names)}"


def class_names(text):
    """Return the classes of a list with commas."""
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise argparse.ArgumentTypeError(f"a class of {text!r} has no name")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise argparse.ArgumentTypeError(f"{repeated[0]!r} is there twice")
    if len(names) < 2:
        raise argparse.ArgumentTypeError(f"{text!r} is one class; two are needed")
    return names
