"""Ali, Caruana & Kapoor (2014), Table 1: two factors that the paper leaves open.

How features are scaled, and what the areas of Table 1 are areas of: the same runs are
scored in every way. QBC chooses its model by log loss (section 4.2), or by 0/1 loss,
ties to the middle penalty. The penalty is beside the sum of the losses, ALMS chooses by
validation, and the oracle is the best single penalty. Every run is stored in a file of
``--results``, and is not repeated; trials come one after the other.

    python -m benchmarks.papers.alms_scales [--trials 30] [--labels 100] [--full]
        [--problem NAME] [--results DIR] [--quick]
"""

import json
import tempfile
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

from benchmarks.options import at_least, parse
from benchmarks.provenance import DATA
from benchmarks.results import Results, deviation, read_texts

from . import _readings_alms, alms
from ._alms_rows import PUBLISHED
from ._readings_alms import SETS, runs
from .readings import stored

SETTING = {"penalty": "sum", "first labels": 10}
#: The reading of `ALMSClassifier`.
DEFAULT = {factor: levels[0] for factor, levels in _readings_alms.BOUGHT.items()}
SCALES = {
    "standardised": StandardScaler(),
    "standardised, unit rows": make_pipeline(StandardScaler(), Normalizer()),
    "unit rows": Normalizer(),
}
KEY = ("problem", "pool", "features", "labels", "trial")
KEY_OF_MEANS = ("problem", "pool", "features", "score", "method")
#: Areas: from the areas of accuracy, exp(-log loss) and 1 - log loss, and the share of
#: the larger class.
SCORES = {
    "accuracy": lambda areas, share: areas[0],
    "accuracy from chance": lambda areas, share: (areas[0] - share) / (1 - share),
    "exp(-log loss)": lambda areas, share: areas[1],
    "1 - log loss": lambda areas, share: areas[2],
}
#: Methods: their name in what a run found, and which of the ways to choose a model.
METHODS = {
    "passive": ("passive", 0),
    "uncertainty": ("uncertainty", 0),
    "QBC": ("QBC", 0),
    "QBC, 0/1 loss": ("QBC", 2),
    "ALMS": ("ALMS", 0),
    "oracle": ("uncertainty", 0),
}


def areas_of(found):
    """Yield for each method and score its area in a run."""
    share = found["larger_class"]
    for method, (name, choice) in METHODS.items():
        areas = np.array(found[name][0]["areas"] if name == "ALMS" else found[name])
        if method == "uncertainty":  # the middle of 21 penalties: 1
            areas = areas[len(areas) // 2]
        for score, area in SCORES.items():
            if method == "oracle":
                yield method, score, [area(one[:, 0], share) for one in areas]
            else:
                yield method, score, area(areas[:, choice], share)


def summary(rows):
    """Return a row for each set, size of the pool, scaling, score and method."""
    table = {}
    for row in rows:
        head = tuple(row[name] for name in ("problem", "pool", "features"))
        for method, score, area in areas_of(json.loads(row["found"])):
            table.setdefault((*head, score, method), []).append(area)
    out = []
    for (*head, score, method), areas in table.items():
        areas, best = np.array(areas), np.nan
        if method == "oracle":
            best = int(areas.mean(axis=0).argmax())
            areas = areas[:, best]
        gain = np.subtract(table[*head, score, "ALMS"], areas)
        out.append(
            dict(zip(("problem", "pool", "features"), head, strict=True))
            | {"score": score, "method": method, "area": areas.mean()}
            | {"std": deviation(areas), "best_model": best, "gain": gain.mean()}
            | {"gain_error": deviation(gain) / np.sqrt(len(gain))}
            | {"published": PUBLISHED[head[0], method.partition(",")[0]][0]}
        )
    return out


def main(argv=None):
    args = parse(
        __doc__,
        argv,
        trials=at_least(1, 30),
        labels=at_least(15, 100),
        problem=SETS,
        full=False,
        results=Path,
    )
    load = {name: alms.LOAD[name] for name in args.problem or SETS}
    if args.quick:
        load, args.trials, args.labels = {"heart": alms.toy}, 2, 15
    last, tasks = alms.FIRST + args.trials - 1, []
    _readings_alms.SIZES.update(rows=25, pairs=30)
    for trial, (problem, rows), features in product(
        range(alms.FIRST, last + 1), load.items(), SCALES
    ):
        head = {
            "problem": problem,
            "pool": "half of all rows" if args.full else "250 rows",
        }
        head |= {"features": features, "labels": args.labels, "trial": trial}

        def run(rows=rows, features=features, trial=trial):
            X, y = rows()
            size = trial, args.labels, [DEFAULT]
            n_pool = len(y) // 2 if args.full else alms.POOL
            split = partial(alms.split, n_pool=n_pool, scaler=SCALES[features])
            found = runs((X, y), SETTING, *size, split)
            return {**found, "larger_class": float(max(np.mean(y > 0), np.mean(y < 0)))}

        tasks.append((head, run))
    with tempfile.TemporaryDirectory() as nowhere:
        args.results = args.results or Path(nowhere)
        found = stored(
            args, argv, "alms_scales_runs", KEY, tasks, "trial", "alms_scales"
        )
        rows = summary(found)
        results = Results(args.results, "alms_scales", argv, f"{alms.FIRST} to {last}")
        each = read_texts(args.results / "alms_scales_runs.csv")
        DATA.use(name for row in each for name in row["data_sha256"].split())
        results.write("alms_scales", rows, key=KEY_OF_MEANS, runs=args.trials)


if __name__ == "__main__":
    main()
