"""The command line.

``sklearn-activelearn compare`` tells whether active learning would save labels.
``sklearn-activelearn label`` shows your own rows, for you to label.
``sklearn-activelearn predict`` applies a model that ``label`` has saved to new rows.
"""

import sys

from . import __version__
from ._cli.compare import add_compare
from ._cli.label import add_label
from ._cli.options import PROGRAM, Parser, UsageError
from ._cli.predict import add_predict


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, default=None
        Arguments. With None, the arguments of the process.

    Returns
    -------
    code : int
        0, or 2 after an error that the user can mend, or 130 after Ctrl-C. A sentence
        on the standard error then tells what is wrong, or what is kept.
    """
    parser = Parser(PROGRAM, description="Active learning for scikit-learn.")
    version = f"{PROGRAM} {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(metavar="command", required=True)
    for add in (add_compare, add_label, add_predict):
        add(commands)
    try:
        args, unknown = parser.parse_known_args(argv)
        if unknown:
            args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
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


if __name__ == "__main__":
    sys.exit(main())
