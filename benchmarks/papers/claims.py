"""Verdicts on what the papers claim, drawn from the files of results by one rule.

    python -m benchmarks.papers claims [--results docs/results]

Each row of ``claims.csv`` is a claim: the paper's sentence, the file that it is checked
on, the columns that tell its cases apart, and a predicate. Each case has a figure with
a standard error over runs, and a bound. The case agrees if the figure is on the right
side of the bound by more than two standard errors, contradicts if it is on the wrong
side by more than two, and else cannot be told. Exact figures, which no run changes,
have the standard error 0. Without a standard error nothing can be told. Of several
rivals the closest decides: the one over whom the lead is smallest in standard errors.

A claim about all cases is held if no case contradicts it and more agree than cannot be
told. It is partly held if some agree and some contradict, and not held if none agrees
and some contradict: more than cannot be told, or one also by Holm's correction over the
cases. Else it cannot be told. A claim about some or most cases, or a number of them, is
held if as many agree, and not held if too many contradict; "some" counts what agrees
after Holm's correction, since the best of several is looked for.

Written are ``claims.csv``, the verdicts, and ``figures.inc``, substitutions for the
pages: a verdict for each claim, and the figures of ``figures.csv``.
"""

import json
from pathlib import Path

import numpy as np
from scipy.stats import t

from benchmarks.results import by, grouped, read_texts, write_csv
from benchmarks.statistics import Estimate, holm, plus_minus

from ._claim_columns import DERIVED, VIEWS, estimate, table

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "docs" / "results"
SHOWN = ("paper", "name", "claim", "where", "sentence", "reading", "verdict")
SHOWN += ("after_holm", "figures", "runs", "file", "experiment")
#: Cases that are listed one by one.
MOST_LISTED = 7


class Claim:
    """A row of ``claims.csv``; its settings are JSON."""

    def __init__(self, row, folder):
        self.row, self.folder = row, folder
        self.settings = json.loads(row["settings"] or "{}")

    def rows(self):
        """Return the rows that the claim is about, with the columns that it derives."""
        get, only = self.settings.get, self.settings.get("only", {})
        wanted = {name: v if isinstance(v, list) else [v] for name, v in only.items()}
        rows = list(table(self.folder, self.row["file"]))
        if name := get("derived"):
            rows = [{**row, name: DERIVED[name](row)} for row in rows]
        rows = [r for r in rows if all(r[c] in kept for c, kept in wanted.items())]
        least = get("at least", {})
        return [row for row in rows if all(row[c] >= v for c, v in least.items())]

    def cases(self):
        """Yield the name of each case, its figure, and its distance to the bound."""
        get, predicate = self.settings.get, PREDICATES[self.row["predicate"]]
        names = self.row["cases"].split()
        groups = grouped(self.rows(), names)
        for key, rows in groups.items():
            members = by(rows, get("by")) if get("by") else {"": rows}
            if x := get("common"):
                sets = ({row[x] for row in of} for of in members.values())
                kept = set.intersection(*sets)
                members = {
                    name: [row for row in of if row[x] in kept]
                    for name, of in members.items()
                }
            runs = set.intersection(
                *({row.get("run") for row in of} for of in members.values())
            )
            runs, value = sorted(runs, key=str), self.row["value"]
            of = {
                name: estimate(rows, runs, value, self.settings)
                for name, rows in members.items()
            }
            several = self.row["predicate"] == "ahead of" or len(get("who", of)) > 1
            for who, figure, distance in predicate(self, key, rows, of):
                parts = [in_full(*part) for part in zip(names, key, strict=True)]
                parts = (parts if len(groups) > 1 else []) + [who] * several
                label = " ".join(parts).strip() or "all"
                yield get("together", {}).get(label, label), figure, distance

    def published(self, key, who, name):
        """Return a figure of a learner in a case from another file, or NaN."""
        places = [*self.row["cases"].split(), *[self.settings.get("by")] * bool(who)]
        for row in table(self.folder, self.settings["published"]):
            if [row[place] for place in places] == [*key, *[who] * bool(who)]:
                return row[name]
        return np.nan

    def leader(self, key, of, names):
        """Return who is best in a case, here or as published."""
        get, figures = self.settings.get, {name: of[name].value for name in names}
        if "published" in self.settings:
            name = get("published column", "published")
            figures = {who: self.published(key, who, name) for who in names}
        known = {who: value for who, value in figures.items() if not np.isnan(value)}
        return (max if get("higher") else min)(known, key=known.get, default=None)

    def verdict(self):
        """Return the row of the verdict."""
        found = {}
        for label, figure, distance in self.cases():
            z = np.nan if np.isnan(figure.error + distance) else np.inf
            if figure.error:
                z = distance / figure.error
            elif distance < 0:
                z = -z
            known, _ = found.get(label, (np.inf, None))
            # the closest rival decides; what is not known stays so
            if label not in found or not (np.isnan(known) or z >= known):
                found[label] = z, figure
        z = np.array([z for z, _ in found.values()])
        runs = [max(figure.n_runs, 2) for _, figure in found.values()]
        p = holm([2 * t.sf(abs(a), n - 1) for a, n in zip(z, runs, strict=True)])
        counts = count(z > 2, z < -2)
        corrected = count((z > 2) & (p < 0.05), (z < -2) & (p < 0.05))
        which = corrected if self.row["of"] == "some" else counts
        here = [figure.n_runs for _, figure in found.values() if figure.n_runs < np.inf]
        shown = {**self.row, "figures": self.figures(found)}
        verdict = word_of(self.row["of"], *which, refuted=corrected[2] > 0)
        shown["verdict"] = f"{verdict}: {in_words(*counts)}"
        shown["after_holm"] = in_words(*corrected) if len(z) > 1 else ""
        ends = dict.fromkeys(f"{n:.0f}" for n in (min(here), max(here))) if here else {}
        shown["runs"] = " to ".join(ends) or "exact"
        (file, *_), _ = VIEWS.get(shown["file"], ([shown["file"]], None))
        (command, *_) = table(self.folder, file)
        shown["experiment"] = command["command"].split()[2].rpartition(".")[2]
        return {name: shown[name] for name in SHOWN}

    def figures(self, found):
        """Return the figures of the cases as a text: all of them, or the two ends."""
        get, times, texts = self.settings.get, self.settings.get("times", 1), {}
        differ = len({figure.n_runs for _, figure in found.values()}) > 1
        for label, (_, figure) in found.items():
            runs = f" ({figure.n_runs:.0f} runs)" * differ
            texts[label] = plus_minus(figure.value * times, figure.error * times) + runs
        listed = list(texts)
        if len(texts) > MOST_LISTED:
            order = sorted(listed, key=lambda label: found[label][1].value)
            ends = f"{texts[order[0]]} ({order[0]}) to {texts[order[-1]]} ({order[-1]})"
            against = [label for label, (z, _) in found.items() if z < -2]
            few = f"; against: {', '.join(f'{a} {texts[a]}' for a in against)}"
            more = few if 0 < len(against) <= MOST_LISTED else ""
            return f"{get('what', '')} {ends}{more}".strip()
        parts = (f"{label} {texts[label]}".removeprefix("all ") for label in listed)
        return f"{get('what', '')} {', '.join(parts)}".strip()


def at_most(claim, key, rows, of, sign=-1):
    """Check that a figure is at most a number, or a column of this file or another."""
    get = claim.settings.get
    for who in get("who", list(of)):
        if who in of:
            bound, figure = get("bound", 0), of[who]
            if isinstance(bound, str):  # a column: the figure is shown beside it
                is_here = bound in rows[0]
                bound = rows[0][bound] if is_here else claim.published(key, who, bound)
                if get("relative"):
                    figure, bound = figure.over(Estimate(bound, 0.0)), 1
                else:
                    figure, bound = figure.minus(Estimate(bound, 0.0)), 0
            yield who, figure, sign * (figure.value - bound)


def at_least(claim, key, rows, of):
    """Check that a figure is at least so much."""
    yield from at_most(claim, key, rows, of, 1)


def ahead_of(claim, key, rows, of):
    """Check that one has less than others (more, if "higher"), or a ratio."""
    get = claim.settings.get
    pairs = [(who, get("others")) for who in get("who", [])] + get("pairs", [])
    if best := get("best"):
        names = [name for name in best if name in of]
        who = claim.leader(key, of, names)
        pairs = [(who, get("others") or [name for name in names if name != who])]
    for who, others in pairs:
        for other in others:
            if who not in of or other not in of:
                continue
            label = str(who) if len(pairs) > 1 else ""
            label += f" against {other}" if get("each") else ""
            less, more = of[who], of[other]
            less, more = (more, less) if get("higher") else (less, more)
            gap = more.over(less) if "ratio" in claim.settings else more.minus(less)
            distance = gap.value - get("ratio", 0)
            same = of.get(get("none if as"))  # who does what this one does is no case
            none = same is not None and same.value == of[who].value
            yield label.strip(), gap, np.nan if none else distance


def level_with(claim, key, rows, of):
    """Check that two figures, or one and the published one, are as near as a margin."""
    get = claim.settings.get
    for who in get("who", list(of)):
        if "published" in claim.settings:
            columns = get("centre and margin", ["published", "published_std"])
            centre, margin = (claim.published(key, who, name) for name in columns)
        else:
            centre, margin = get("about", np.nan), get("margin")
        others = [of[other] for other in get("others", []) if other in of]
        for other in others or [Estimate(centre, 0.0)]:
            gap = of[who].minus(other)
            yield who, gap, margin - abs(gap.value)


def in_some_runs(claim, key, rows, of):
    """Check that something happens in some runs and not in all: a fact about them."""
    for who in claim.settings.get("who", list(of)):
        share = of[who].value
        yield who, Estimate(share, 0.0, of[who].n_runs), (0 < share < 1) - 0.5


PREDICATES = {
    function.__name__.replace("_", " "): function
    for function in (at_most, at_least, ahead_of, level_with, in_some_runs)
}


def count(agree, contradict):
    """Return how many cases agree, cannot be told and contradict."""
    agrees, contradicts = int(np.sum(agree)), int(np.sum(contradict))
    return agrees, len(agree) - agrees - contradicts, contradicts


def in_words(agrees, doubts, contradicts):
    """Return the three counts as a text."""
    n = agrees + doubts + contradicts
    return f"agrees {agrees}, cannot be told {doubts}, contradicts {contradicts} of {n}"


def word_of(of, agrees, doubts, contradicts, refuted):
    """Return the verdict on a claim about all cases, some, most, or so many of them."""
    n = agrees + doubts + contradicts
    if of != "all":
        least = {"some": 1, "most": n // 2 + 1}.get(of)
        least = least or (n - 1 if of == "all but one" else int(of))
        if agrees >= least:
            return "held"
        return "not held" if n - contradicts < least else "cannot be told"
    if agrees and contradicts:
        return "partly held"
    if not contradicts:
        return "held" if agrees > doubts else "cannot be told"
    return "not held" if refuted or contradicts > doubts else "cannot be told"


def in_full(name, part):
    """Return a part of a case's key as a text, a number with the column's name."""
    return f"{name.replace('_', ' ')} {part:g}" if isinstance(part, float) else part


OF_VALUES = {"sum": sum, "mean": np.mean, "count": len, "text": lambda one: one[0]}


def number(row, folder):
    """Return a figure of ``figures.csv`` as a text."""
    only = json.loads(row["only"] or "{}")
    values = [
        each[row["column"]]
        for each in table(folder, row["file"])
        if all(each[name] == value for name, value in only.items())
    ]
    if row["figure"] == "range":
        return " to ".join(row["format"].format(f(values)) for f in (min, max))
    return row["format"].format(OF_VALUES[row["figure"]](values))


def draw_verdicts(folder):
    """Return the rows of all verdicts, and the substitutions by name."""
    verdicts = [Claim(row, folder).verdict() for row in read_texts(HERE / "claims.csv")]
    texts = {}
    for row in verdicts:
        texts[row["name"]] = "**{}** ({})".format(*row["verdict"].split(": "))
        texts[f"{row['name']} figures"] = row["figures"]
    texts["claims"] = str(sum(not row["reading"] for row in verdicts))
    texts["readings"] = str(sum(bool(row["reading"]) for row in verdicts))
    for row in read_texts(HERE / "figures.csv"):
        texts[row["name"]] = number(row, folder)
    return verdicts, texts


def main(folder=None):
    """Draw all verdicts, print them, and write them and the substitutions."""
    folder = folder or RESULTS
    verdicts, texts = draw_verdicts(folder)
    for row in verdicts:
        reading = f" [{row['reading']}]" * bool(row["reading"])
        print(f"{row['paper']}: {row['claim']}{reading}\n    {row['verdict']}")
    write_csv(folder / "claims.csv", SHOWN, [row.values() for row in verdicts])
    lines = [f".. |{name}| replace:: {text}" for name, text in sorted(texts.items())]
    (folder / "figures.inc").write_text("\n".join([*lines, ""]), encoding="utf-8")
