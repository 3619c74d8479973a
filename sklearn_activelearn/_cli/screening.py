"""The options --find and --recall of ``label``: find all rows of one class."""

# What imports scikit-learn is imported in the functions that need it.
from .options import UsageError

#: Labels between two trainings, as a share of those there are.
BATCH = 0.05


def check_find(args):
    """Refuse what does not go with --find, and name the other class if nobody has."""
    if args.find is None:
        if args.recall is not None:
            raise UsageError("--recall: which label is to be found? (--find)")
        return
    if args.learner:
        raise UsageError("--find chooses the learner: leave out --learner")
    if args.classes is None:
        args.classes = [args.find, f"not {args.find}"]
    if args.find not in args.classes:
        raise UsageError(f"--find: {args.find!r} is none of {', '.join(args.classes)}")
    if len(args.classes) != 2:
        raise UsageError(
            f"--find takes two classes, got {len(args.classes)}: "
            f"{', '.join(args.classes)}"
        )


def finding_learner(args):
    """Return the learner that finds the rows of a class, up to a recall."""
    from ..pool import RecallTarget, RelevanceSamplingClassifier

    recall = 0.95 if args.recall is None else args.recall
    return RelevanceSamplingClassifier(
        positive=args.find,
        batch_size=BATCH,
        budget=None,
        stopping=RecallTarget(recall, positive=args.find),
    )
