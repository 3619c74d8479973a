"""The command line: would active learning save labels on my data.

``sklearn-activelearn compare`` runs the learners of this package, and passive
learning of the same model, over the same folds in the same order.
``sklearn-activelearn label`` shows your own rows, for you to label.
``sklearn-activelearn predict`` applies a model that ``label`` has saved to new rows.
``sklearn-activelearn reproduce`` runs the experiments of a paper again.
"""

import os
import sys
from contextlib import contextmanager

from ._cli.checks import (
    check_input,
    check_is_there,
    check_learners,
    check_outputs,
    require_matplotlib,
    tell,
)
from ._cli.options import PROGRAM, UsageError, make_parser
from ._cli.papers import reproduce


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments; None: those of the process.

    Returns
    -------
    code : int
        0, or 2 for what the user can put right, or 130 after Ctrl-C, which tells what
        is kept.
    """
    try:
        starts = start_compare, start_label, start_predict, start_reproduce
        args = make_parser(*starts).parse_args(argv)
        args.run(args)
    except UsageError as error:
        message = " ".join(str(error).split()).rstrip(".")
        message = "".join(filter(str.isprintable, message))  # files have any names
        print(f"{PROGRAM}: error: {message}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt as interrupt:
        kept = f": {interrupt}" if str(interrupt) else ""
        print(f"{PROGRAM}: interrupted{kept}.", file=sys.stderr)
        return 130
    return 0


@contextmanager
def telling_what_is_kept(sentence):
    """Let the end by Ctrl-C say what is kept, and how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(sentence) from None


def start_compare(args):
    """Run ``compare``, once what takes no time to check is checked."""
    check_learners(*args.learner or ())
    check_outputs(args)
    check_input(args)
    tell(f"reading {args.data or 'digits of scikit-learn'}")
    from ._cli.compare import run_compare

    kept = "no run is kept without --cache FOLDER"
    if args.cache:
        kept = f"finished runs are kept in {args.cache}, and the same command resumes"
    with telling_what_is_kept(kept):
        run_compare(args)


def start_label(args):
    """Run ``label``."""
    if args.learner:
        check_learners(args.learner)
    check_is_there(args.file)
    from ._cli.label import run_label

    run_label(args)


def start_predict(args):
    """Run ``predict``."""
    check_is_there(args.model)
    check_is_there(args.file)
    from ._cli.predict import run_predict

    with telling_what_is_kept("no file was written"):
        run_predict(args)


def start_reproduce(args):
    """Run ``reproduce``: check everything, then run."""
    require_matplotlib("reproduce")
    if args.data is not None:
        if not args.data.is_dir():
            raise UsageError(f"--data: there is no folder {args.data}")
        os.environ["SKLEARN_ACTIVELEARN_DATA"] = str(args.data.resolve())
    kept = f"finished runs are kept in {args.out}, and the same command resumes"
    try:
        with telling_what_is_kept(kept):
            reproduce(args.paper, args.out, args.quick)
    except (OSError, ImportError) as error:  # data neither there nor to be fetched
        reason = getattr(error, "reason", error)
        raise UsageError(
            f"{args.paper}: {reason} (data sets are fetched unless --data has them)"
        ) from error


if __name__ == "__main__":
    sys.exit(main())
