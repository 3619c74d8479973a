"""The options of experiments: one keyword for each, in place of a parser.

The value says what an option is: `False` a flag, a number or a text its default, a type
one without a default, a list of numbers the default of several values, a list of a type
several values without a default, `at_least(2, 10)` a count, `one_of("ab", "a")` one of
some words, `parts_of("ab")` words without the name of an option, and any other
collection the words of which several may be chosen. Every experiment has ``--quick``.
The docstring is the help.
"""

import argparse
from pathlib import Path
from typing import NamedTuple


class Count(NamedTuple):
    """A whole number that is not too small."""

    least: int
    default: int | None

    def __call__(self, text):
        """Return the number that a text is."""
        number = int(text)
        if number < self.least:
            raise argparse.ArgumentTypeError(f"{text} is not at least {self.least}")
        return number


class Word(NamedTuple):
    """One of some words."""

    choices: tuple
    default: str


class Parts(NamedTuple):
    """Some of some words, or all, without the name of an option before them."""

    choices: tuple


def at_least(least, default=None):
    """Return the option of a count."""
    return Count(least, default)


def one_of(choices, default):
    """Return the option of one of some words."""
    return Word(tuple(choices), default)


def parts_of(choices):
    """Return the option of the parts of an experiment."""
    return Parts(tuple(choices))


def arguments_of(value):
    """Return the arguments of `add_argument` for an option."""
    if value is False:
        return {"action": "store_true"}
    if isinstance(value, Count):
        return {"type": value, "default": value.default}
    if isinstance(value, Word):
        return {"choices": value.choices, "default": value.default}
    if isinstance(value, type):
        return {"type": value}
    if isinstance(value, list) and not isinstance(value[0], str):
        if isinstance(value[0], type):
            return {"nargs": "+", "type": value[0]}
        return {"nargs": "+", "type": type(value[0]), "default": value}
    if isinstance(value, int | float | str | Path):
        return {"type": type(value), "default": value}
    return {"nargs": "+", "action": "extend", "choices": list(value), "metavar": "NAME"}


def parser_of(doc, **options):
    """Return the parser of an experiment with this docstring."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in options.items():
        if isinstance(value, Parts):
            choices = [[], *value.choices]  # none is all
            parser.add_argument(name, nargs="*", choices=choices, metavar="PART")
        else:
            name = name.replace("_", "-")
            parser.add_argument(f"--{name}", **arguments_of(value))
    parser.add_argument("--quick", action="store_true")
    return parser


def parse(doc, argv=None, quick=(), **options):
    """Print the first line of a docstring; return the options that it was called with.

    Parameters
    ----------
    doc : str
        The docstring.
    argv : list of str, optional
        Arguments. By default the arguments of the process.
    quick : dict
        The options that ``--quick`` sets.
    **options
        As for `parser_of`.

    Returns
    -------
    args : Namespace
        ``args.error(text)`` refuses them.
    """
    parser = parser_of(doc, **options)
    args = parser.parse_args(argv)
    if args.quick:
        vars(args).update(quick)
    args.error = parser.error
    print(doc.splitlines()[0], flush=True)
    return args
