"""Claims on model selection; see `claims`."""

import numpy as np

from ._alms_rows import POOLED
from ._claims_common import count, tables
from ._results import by


def alms_beats_others(rows, score, sign=1):
    """Answer for each problem and baseline whether ALMS is better, p below 5 %.

    PIMA is left out: looking at two rows and two pairs in a round is no reproduction.
    So are all problems taken together.
    """
    ours, published = [], []
    groups = [[row for row in rows if row["problem"] not in ("pima", POOLED)]]
    for setting in ("penalty", "initial", "labels"):
        groups = [part for group in groups for part in by(group, setting).values()]
    for group in groups:
        for of in tables(group, "problem", "method").values():
            for name in {"passive", "uncertainty", "QBC"} & of.keys():
                gain, printed = (
                    of["ALMS"][figure] - of[name][figure]
                    for figure in (score, "published")
                )
                p = float(str(of[name][f"{score}_p"]).lstrip("<"))
                ours.append(sign * gain > 0 and p < 0.05)
                if np.isfinite(printed):
                    published.append(printed > 0)
    return ours, count(ours, "comparisons"), count(published, "comparisons")


CLAIMS = [
    (
        "ALMS beats passive + CV, uncertainty and QBC in accuracy (Table 1)",
        "alms_table_1",
        lambda rows: alms_beats_others(rows, "accuracy"),
    ),
    (
        "The same in log loss, which the paper does not report",
        "alms_table_1",
        lambda rows: alms_beats_others(rows, "log_loss", sign=-1)[:2],
    ),
]
