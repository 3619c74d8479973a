"""The experiments of a paper's page, one after the other, and its figures.

    python -m benchmarks.papers PAPER [--figure N] [--results DIR] [--quick]
    python -m benchmarks.papers claims [--results DIR]

PAPER is monteleoni2007, guillory2009, cavallanti2008, wang2009 or ali2014. The steps
are the rows of ``steps.csv``. Measured figures are printed beside published ones, and
the folder of the results gets CSV files and pictures. The same command goes on from
them after an interruption. ``--figure 4`` runs only what Figure 4 of the paper needs,
``--figure table-2`` what Table 2 does. ``claims`` in place of a paper draws the
verdicts on what the papers claim from the files of results, without an experiment.
"""

import argparse
import shlex
from importlib import import_module
from pathlib import Path

from benchmarks.drawing import draw

from . import claims
from ._steps import STEPS, figures_of, steps_of
from .figures import DRAWN


def run(paper, out, quick, figure=None):
    """Run the experiments of a paper, or of a figure, and draw what they found.

    Toy results go to a folder of their own, where no real experiment finds them.
    """
    out = out / "quick" if quick else out
    out.mkdir(parents=True, exist_ok=True)
    for step in steps_of(paper, figure):
        name, *arguments = shlex.split(step.format(out=out))
        print(f"\n== {shlex.join([name, *arguments])}", flush=True)
        arguments += ["--results", str(out), *["--quick"] * quick]
        import_module(f"benchmarks.papers.{name}").main(arguments)
    draw(DRAWN[paper], out, out)


def main(argv=None):
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers", description=__doc__.splitlines()[0]
    )
    parser.add_argument("paper", choices=[*STEPS, "claims"])
    parser.add_argument("--figure", metavar="N", help="only what this one needs")
    parser.add_argument("--results", metavar="DIR", type=Path)
    parser.add_argument("--quick", action="store_true", help="toy size, a minute")
    args = parser.parse_args(argv)
    if args.paper == "claims":
        return claims.main(args.results)
    known = figures_of(args.paper)
    if args.figure not in (None, *known):
        parser.error(f"{args.paper} has {', '.join(known)}, got {args.figure}")
    try:
        run(args.paper, args.results or Path(), args.quick, args.figure)
    except (OSError, ImportError) as error:  # data neither there nor to be fetched
        parser.error(f"{args.paper}: {getattr(error, 'reason', error)}")


if __name__ == "__main__":
    main()
