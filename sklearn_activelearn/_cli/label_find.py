"""The options --find and --recall of ``label``: find all rows of one class."""

# What imports scikit-learn is imported in the functions that need it.
from .checks import tell
from .options import UsageError

#: Labels between two trainings, as a share of those there are.
BATCH = 0.05
#: Principal directions of texts.
N_DIRECTIONS = 100


def check_find(args):
    """Refuse what does not go with --find, and name the other class if nobody has."""
    if args.find is None:
        if args.recall is not None:
            raise UsageError("--recall: which label is to be found? (--find)")
        return
    if args.learner:
        raise UsageError("--find chooses the learner: leave out --learner")
    if args.recall == 1:
        raise UsageError(
            "--recall: only reading all rows makes a recall of 1 certain; less, as "
            "0.95, can be certain before"
        )
    if args.classes is None:
        args.classes = [args.find, f"not {args.find}"]
    if args.find not in args.classes:
        raise UsageError(f"--find: {args.find!r} is none of {', '.join(args.classes)}")
    if len(args.classes) != 2:
        raise UsageError(
            f"--find takes two classes, got {len(args.classes)}: "
            f"{', '.join(args.classes)}; --classes can be left out"
        )


def n_directions_for(args, begun):
    """Return how many principal directions of the texts are wanted.

    Parameters
    ----------
    args : Namespace
        Of the command.
    begun : dict or None
        The learner of a session to go on with: it may have begun without.
    """
    if args.find is None or not args.text:
        return 0
    if begun is None:
        return N_DIRECTIONS
    model = begun["params"].get("estimator") or {"class": ""}
    return N_DIRECTIONS * model["class"].endswith(".RankAverageClassifier")


def tell_directions(n_texts):
    """Say what takes a while."""
    tell(f"finding up to {N_DIRECTIONS} principal directions of {n_texts:,} texts")


def model_of_words_and_directions(n_words):
    """Return the average of the ranks by words and by directions.

    Parameters
    ----------
    n_words : int
        Columns before those of the directions.
    """
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    from .. import RankAverageClassifier

    model = LinearSVC(C=0.1, class_weight="balanced")
    parts = {"words": slice(0, n_words), "directions": slice(n_words, None)}
    return RankAverageClassifier(
        [
            (name, make_pipeline(make_column_transformer(("passthrough", part)), model))
            for name, part in parts.items()
        ]
    )


def finding_learner(args, n_words=None):
    """Return the learner that finds the rows of a class, up to a recall.

    Parameters
    ----------
    args : Namespace
        Of the command.
    n_words : int, optional
        Columns of the rows before those of the directions; None without directions.
    """
    from ..pool import RecallTarget, RelevanceSamplingClassifier

    recall = 0.95 if args.recall is None else args.recall
    model = None if n_words is None else model_of_words_and_directions(n_words)
    return RelevanceSamplingClassifier(
        model,
        positive=args.find,
        batch_size=BATCH,
        budget=None,
        stopping=RecallTarget(recall, positive=args.find),
    )
