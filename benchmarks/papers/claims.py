"""What the papers claim, and whether the results of the experiments agree.

Each claim is checked on a file of results: one answer, yes or no, for each data set or
other case that it speaks of. A claim is held if all answers are yes, and not held if
fewer than one in four is; else partly.

    python -m benchmarks.papers.claims DIR [--paper NAME]
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

from . import (
    _claims_ali2014,
    _claims_cavallanti2008,
    _claims_guillory2009,
    _claims_monteleoni2007,
    _claims_wang2009,
)
from ._results import read


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    paper : str
        As `sklearn-activelearn reproduce` names it.
    text : str
        The claim.
    table : str
        The file of results that it is checked on.
    check : callable
        Takes the rows of that file; returns the answers, a list of bool, our figures
        as a text, and where there are some the published ones.
    """

    paper: str
    text: str
    table: str
    check: callable

    def verdict(self, folder):
        """Return the verdict, our figures, published ones and the experiment.

        The verdict is "untested" where the results have no case of the claim.
        """
        rows = read(folder, self.table)
        answers, *figures = self.check(rows) if rows else ([],)
        if not answers:
            return "untested", "", "", ""
        share = sum(answers) / len(answers)
        verdict = "held" if share == 1 else "partly" if share >= 0.25 else "not"
        ours, published = (*figures, "")[:2]
        experiment = rows[0]["command"].split()[2].rpartition(".")[2]
        return verdict, ours, published, experiment


CLAIMS = [
    Claim(paper, *claim)
    for paper, module in (
        ("monteleoni2007", _claims_monteleoni2007),
        ("guillory2009", _claims_guillory2009),
        ("cavallanti2008", _claims_cavallanti2008),
        ("wang2009", _claims_wang2009),
        ("ali2014", _claims_ali2014),
    )
    for claim in module.CLAIMS
]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path, default=Path())
    parser.add_argument("--paper", choices=sorted({claim.paper for claim in CLAIMS}))
    args = parser.parse_args(argv)
    if not args.results.is_dir():
        parser.error(f"there is no folder {args.results}")
    for claim in CLAIMS:
        if args.paper in (None, claim.paper):
            verdict, ours, published, _ = claim.verdict(args.results)
            print(f"{verdict:10}{claim.text}")
            if ours:
                beside = f"; published: {published}" if published else ""
                print(f"{'':10}{ours}{beside}")


if __name__ == "__main__":
    main()
