"""Claims of the papers, and whether the results of the experiments agree.

Each claim is checked on a file of results: one answer, yes or no, for each data set or
other case that it speaks of. A claim is held if all answers are yes, and not held if
fewer than one in four is; else partly. The claims are in ``claims.csv``: the paper, the
files, the function of ``_claims_PAPER`` that checks them, its settings, and whether
other readings of the paper are checked, too.

    python -m benchmarks.papers.claims DIR [--paper NAME]
"""

import argparse
import json
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.results import read, read_texts


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Parameters
    ----------
    paper : str
        The name of its page, such as wang2009.
    text : str
        The claim.
    tables : str
        The files of results that it is checked on.
    check : callable
        Takes the rows of these files; returns the answers, a list of bool, our figures
        as a text, and where there are some the published ones.
    readings : str
        The table that checks it under other readings of the paper; "" if there is none.
    """

    paper: str
    text: str
    tables: str
    check: callable
    readings: str = ""

    def verdict(self, folder):
        """Return the verdict, our figures, published ones, experiment and share.

        The verdict is "untested" where the results have no case of the claim. The share
        is how many of the answers are yes, as a text.
        """
        rows = [read(folder, name) for name in self.tables.split()]
        answers, *figures = self.check(*rows) if rows[0] else ([],)
        if not answers:
            return "untested", "", "", "", ""
        n_held = int(sum(answers))
        verdict = "partly" if n_held >= 0.25 * len(answers) else "not"
        verdict = "held" if n_held == len(answers) else verdict
        ours, published = (*figures, "")[:2]
        experiment = rows[0][0]["command"].split()[2].rpartition(".")[2]
        share = f"{n_held} of {len(answers)}"
        return verdict, ours, published, experiment, share


def claim_of(row):
    """Return the claim of a row of ``claims.csv``."""
    checks = import_module(f"{__package__}._claims_{row['paper']}")
    check = getattr(checks, row["check"])
    check = partial(check, **json.loads(row["settings"] or "{}"))
    return Claim(row["paper"], row["claim"], row["tables"], check, row["readings"])


CLAIMS = [claim_of(row) for row in read_texts(Path(__file__).with_name("claims.csv"))]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path, default=Path())
    parser.add_argument("--paper", choices=sorted({claim.paper for claim in CLAIMS}))
    args = parser.parse_args(argv)
    if not args.results.is_dir():
        parser.error(f"there is no folder {args.results}")
    for claim in CLAIMS:
        if args.paper in (None, claim.paper):
            verdict, ours, published, _, share = claim.verdict(args.results)
            print(f"{verdict:10}{claim.text}{f' ({share})' * bool(share)}")
            if ours:
                beside = f"; published: {published}" if published else ""
                print(f"{'':10}{ours}{beside}")


if __name__ == "__main__":
    main()
