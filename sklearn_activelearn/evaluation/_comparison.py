"""Results of a comparison with random labels: savings, verdict and table."""

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..utils._statistics import paired_t_test
from ..utils.typing import Floats
from ._curves import LabelCurve, frame, plain
from ._design import Design
from ._displays import LabelCurveDisplay
from ._measures import NamedMeasure, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

#: Confidence of all intervals of a comparison together.
CONFIDENCE = 0.95
LEVEL = f"{100 * CONFIDENCE:g} %"

#: Fewer runs have no spread that says anything.
FEWEST_RUNS = 3
#: Shares of the labels for which the savings are tested.
N_SHARES = 500
#: Label counts, evenly spaced, at which a curve is tested.
N_COUNTS = 20
#: Errors that differ by less are equal.
ROUNDING = 1e-12
#: Characters in a line of the report.
WIDTH = 100


class Savings(NamedTuple):
    """Share of the random labels that chosen labels need for the same error.

    Infinite: more than all of them. NaN: unknown, because a run bought no labels.

    Attributes
    ----------
    needed : float
        The estimate; 1 means that no labels are saved.
    low, high : float
        Ends of the confidence interval. `low` is 0 if the smallest share that was
        measured is in the interval.
    """

    needed: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """True if all runs bought labels."""
        return not np.isnan(self.needed)

    @property
    def is_clear(self) -> bool:
        """True if chosen labels are better than random labels, beyond noise."""
        return self.high <= 1

    @property
    def is_worse(self) -> bool:
        """True if chosen labels are worse than random labels, beyond noise."""
        return np.isinf(self.low)


class Stretch(NamedTuple):
    """Label counts between which chosen labels are worse than random labels.

    Attributes
    ----------
    first, last : float
        Label counts, means over the runs.
    most : float
        The largest difference of the mean errors between them.
    """

    first: float
    last: float
    most: float


class Verdict(NamedTuple):
    """Result of a comparison in a few sentences.

    Attributes
    ----------
    outcome : str
        "labels saved", "smaller error", "mixed" (better at the end and worse on
        average, or the reverse), "unclear", "nothing saved", "useless" (no better than
        a constant prediction), or "unknown" (a run bought no labels).
    learner : str or None
        Name of the learner that the sentences are about.
    text : str
        The sentences.
    """

    outcome: str
    learner: str | None
    text: str


@dataclass(frozen=True, eq=False)
class LearnerResult:
    """Runs of a learner and of random labels for the same model, on the same rows.

    Attributes
    ----------
    learner, passive : estimator
        The learner and its passive baseline, unfitted.
    curve, passive_curve : LabelCurve
        Their runs.
    confidence : float
        Confidence of each interval; with several learners it is higher, so that all
        intervals hold together.
    notes : tuple of str
        Warnings of the learner.
    """

    learner: Any
    passive: Any
    curve: LabelCurve
    passive_curve: LabelCurve
    confidence: float = CONFIDENCE
    notes: tuple[str, ...] = ()

    @property
    def n_bought(self) -> float:
        """Labels bought, mean over runs."""
        return float(self.curve.n_bought.mean())

    @property
    def n_needed(self) -> float:
        """Chosen labels with the error of `n_bought` random labels."""
        return self.n_bought * self.savings.needed

    @cached_property
    def errors(self) -> Floats:
        """Error of each run with all labels that it bought."""
        return self.curve.best - self.curve.final_scores

    @cached_property
    def passive_errors(self) -> Floats:
        """Error of each run with the same number of random labels; NaN for none."""
        scores = np.diagonal(self.passive_curve.scores_at(self.curve.n_bought))
        return self.curve.best - scores

    @cached_property
    def constant_errors(self) -> Floats:
        """Error of the most frequent class as constant prediction, for each run."""
        return self.curve.best - self.curve.constant_scores

    def _interval(self, differences):
        mean, low, high, _ = paired_t_test(differences[:, None], self.confidence)
        return float(mean[0]), float(low[0]), float(high[0])

    @cached_property
    def gain(self) -> tuple[float, float, float]:
        """Error with random labels minus error with chosen ones: mean, low, high."""
        return self._interval(self.passive_errors - self.errors)

    @cached_property
    def _runs(self):
        """Labels bought and errors of both learners in each run; None if unknown."""
        runs = [
            (
                n,
                measured_errors(self.curve, run),
                measured_errors(self.passive_curve, run),
            )
            for run, n in enumerate(self.curve.n_bought)
        ]
        if any(n == 0 or random[0][0] > n for n, _, random in runs):
            return None
        return runs

    @cached_property
    def _first_share(self):
        """Share of the labels from which on all runs have errors."""
        return max(max(own[0][0], other[0][0]) / n for n, own, other in self._runs)

    @cached_property
    def area_range(self) -> tuple[float, float]:
        """First and last label count of the areas, means over the runs."""
        return self.n_bought * self._first_share, self.n_bought

    def _errors_at(self, shares):
        """Return errors at shares of the labels bought: chosen and random ones."""
        chosen = np.array([np.interp(shares * n, *own) for n, own, _ in self._runs])
        random = np.array([np.interp(shares * n, *other) for n, _, other in self._runs])
        return chosen, random

    @cached_property
    def areas(self) -> tuple[Floats, Floats]:
        """Mean error over the label counts in each run: chosen and random labels."""
        if self._runs is None:
            return (np.full(len(self.errors), np.nan),) * 2
        shares = np.linspace(self._first_share, 1, N_SHARES)
        chosen, random = self._errors_at(shares)
        return chosen.mean(axis=1), random.mean(axis=1)

    @cached_property
    def area_gain(self) -> tuple[float, float, float]:
        """Mean error with random labels minus with chosen ones: mean, low, high."""
        chosen, random = self.areas
        return self._interval(random - chosen)

    @cached_property
    def behind(self) -> list[Stretch]:
        """Label counts at which chosen labels are worse than random, beyond noise.

        A paired t-test at each of `N_COUNTS` label counts, with the intervals so wide
        that all of them hold together (Bonferroni).
        """
        if self._runs is None:
            return []
        shares = np.linspace(self._first_share, 1, N_COUNTS)
        chosen, random = self._errors_at(shares)
        each = 1 - (1 - self.confidence) / N_COUNTS
        mean, _, high, _ = paired_t_test(random - chosen, each)
        (worse,) = np.nonzero(high < -ROUNDING)
        stretches = np.split(worse, np.flatnonzero(np.diff(worse) > 1) + 1)
        counts = shares * self.n_bought
        return [
            Stretch(counts[part[0]], counts[part[-1]], -mean[part].min())
            for part in stretches
            if len(part)
        ]

    @cached_property
    def beats_constant(self) -> bool:
        """True if the learner is better than a constant prediction, beyond noise.

        Also true if the score of a constant prediction is unknown.
        """
        return not self._interval(self.constant_errors - self.errors)[1] <= ROUNDING

    @cached_property
    def passive_beats_constant(self) -> bool:
        """True if random labels are better than a constant prediction."""
        differences = self.constant_errors - self.passive_errors
        return not self._interval(differences)[1] <= ROUNDING

    @property
    def _is_ahead(self):
        """True if the end or the area is better beyond noise, and the other agrees."""
        (_, _, most), (area, least_area, _) = self.gain, self.area_gain
        by_end = self.savings.is_clear and area >= -ROUNDING
        by_area = least_area > ROUNDING and most >= -ROUNDING
        return by_end or by_area

    @property
    def is_clear(self) -> bool:
        """True if the learner is better than random labels and than a constant.

        Either at the end beyond noise, and not worse by the area; or by the area beyond
        noise, and not worse at the end beyond noise.
        """
        return self._is_ahead and self.beats_constant

    @property
    def is_mixed(self) -> bool:
        """True if it is better at the end or by the area, and worse by the other."""
        is_better = self.savings.is_clear or self.area_gain[1] > ROUNDING
        return is_better and not self._is_ahead

    @cached_property
    def savings(self) -> Savings:
        """Share of the random labels that the learner needs.

        The interval holds every share s that a paired t-test over the runs does not
        reject: on average over further runs, the error with s times as many chosen
        labels may equal the error with all random labels. At s = 1 this is the test of
        chosen labels against the same number of random labels. Errors between two
        label counts are interpolated linearly.
        """
        runs = self._runs
        if runs is None:
            return Savings(np.nan, np.nan, np.nan)
        first = max(counts[0] / n for n, (counts, _), _ in runs)
        shares = np.geomspace(first, 1, N_SHARES)
        differences = np.array(
            [
                np.interp(shares * n, *own) - np.interp(n, *other)
                for n, own, other in runs
            ]
        )
        mean, low, high, _ = paired_t_test(differences, self.confidence)

        def share_after_last(exceptions):
            (rows,) = np.nonzero(exceptions)
            return float(np.append(shares, np.inf)[rows[-1] + 1 if len(rows) else 0])

        not_rejected = np.append(low <= ROUNDING, True)
        smallest = float(np.append(shares, np.inf)[not_rejected.argmax()])
        return Savings(
            needed=share_after_last(mean > ROUNDING),
            low=0.0 if not_rejected[0] else smallest,
            high=share_after_last(high >= -ROUNDING),
        )

    def row(self) -> dict[str, Any]:
        """Return names and figures as a row of a table, unrounded."""
        # random labels that are no better than a constant save no labels
        unknown = 0.0 if self.passive_beats_constant else np.nan
        needed, low, high = np.array(self.savings) + unknown
        return {
            "learner": learner_code(self.learner),
            "passive": learner_code(self.passive),
            "labels_bought": self.n_bought,
            "error": self.errors.mean(),
            "passive_error": self.passive_errors.mean(),
            "area": self.areas[0].mean(),
            "passive_area": self.areas[1].mean(),
            "constant_error": self.constant_errors.mean(),
            "labels_needed": self.n_bought * needed,
            "saved": 1 - needed,
            "saved_low": 1 - high,
            "saved_high": 1 - low,
            "saved_is_clear": self.is_clear and self.passive_beats_constant,
            "beats_constant": self.beats_constant,
            "passive_beats_constant": self.passive_beats_constant,
            "confidence": self.confidence,
        }


def measured_errors(curve, run):
    """Return the label counts at which a run was scored, and its errors there."""
    is_known = ~np.isnan(curve.scores[run]) & (curve.n_labels < curve.n_bought[run])
    n_labels = np.append(curve.n_labels[is_known], curve.n_bought[run])
    scores = np.append(curve.scores[run, is_known], curve.final_scores[run])
    return n_labels, curve.best - scores


def learner_code(learner):
    """Return a learner as code on one line."""
    return " ".join(repr(learner).split()).removesuffix("()")


def short_names(learners):
    """Return class names without "Classifier"; several of one class are numbered."""
    names = [type(learner).__name__.removesuffix("Classifier") for learner in learners]
    return [
        f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def align(rows):
    """Return table rows as lines: first and last cells to the left, others right."""
    width = max(map(len, rows))
    rows = [(*row, *[""] * (width - len(row))) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others, last in rows:
        padded = [text.rjust(w) for text, w in zip(others, widths[1:-1], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *padded, last]).rstrip())
    return lines


@dataclass(frozen=True, eq=False)
class Comparison:
    """Labels saved by active learners on labelled data; the result of `compare`.

    Printed, it is the verdict, a table and how it was run.

    Attributes
    ----------
    results : list of LearnerResult
        One for each learner: ``learner``, ``passive``, ``curve``, ``passive_curve``,
        ``errors``, ``passive_errors``, ``constant_errors``, ``gain``, ``savings``,
        ``n_bought``, ``n_needed``.
    design : Design
        Rows, folds and repeats.
    measure : NamedMeasure
        The measure of all errors.
    target_error : float or None
        Error for which the labels are counted, too.
    classes : list of str
        Classes, the most frequent one first.
    notes : tuple of str
        Default learners that were left out, with the reason.
    model : LearnerResult or None
        Random labels for the models of the default pool learner, with random labels for
        one logistic regression as the baseline: the gain by the choice of the model.
        None for learners that were given.
    representation : LearnerResult or None
        The default pool learner, with the same learner on the rows of another
        preprocessor as the baseline: the gain by what the rows are made of.
    other_name : str
        Words for that preprocessor, such as "with words alone".
    """

    results: list[LearnerResult]
    design: Design
    measure: NamedMeasure
    target_error: float | None
    classes: list[str]
    notes: tuple[str, ...] = ()
    model: LearnerResult | None = None
    representation: LearnerResult | None = None
    other_name: str = ""

    @property
    def named_results(self) -> dict[str, LearnerResult]:
        """Results by the short names of their learners."""
        names = short_names([result.learner for result in self.results])
        return dict(zip(names, self.results, strict=True))

    @property
    def _constant(self):
        """Words for the constant prediction."""
        if self.design.has_label_sets:
            return "the most frequent labels"
        return repr(self.classes[0])

    @property
    def verdict(self) -> Verdict:
        """Sentences on whether chosen labels are better than random labels.

        Both the end of the curves and the area below them are judged. Of several
        learners that are clearly better it is about the one with the smallest error:
        many labels saved for a poor model are worth little. Of two true statements, on
        labels saved and on the error, it takes the one whose interval is further from
        no gain. Nothing is called saved at an error that a constant prediction reaches.
        """
        known = {n: r for n, r in self.named_results.items() if r.savings.is_known}
        if not known:
            text = "Nothing to compare: in some run no labels were bought, or too few."
            return Verdict("unknown", None, text)
        clear = {n: r for n, r in known.items() if r.is_clear}
        useful = {n: r for n, r in known.items() if r.passive_beats_constant}
        name, best = min(
            (clear or useful or known).items(),
            key=lambda item: (
                item[1].errors.mean(),
                item[1].passive_errors.mean(),
                item[1].savings,
            ),
        )
        outcome, sentences = self._judge(name, best)
        sentences += self._describe_stretches(best)
        return Verdict(outcome, name, " ".join(sentences))

    def _judge(self, name, best):
        """Return the outcome of a learner, and its sentences."""
        measure, n_bought = self.measure, f"{best.n_bought:,.0f}"
        needed = count_labels(best.n_needed)
        interval = f"{LEVEL} interval: {saved_interval(best.savings)}"
        if len(best.errors) < FEWEST_RUNS:
            interval = f"no interval: there are only {len(best.errors)} runs"
        saved = (
            f"{needed} chosen by {name} reach{'es' * (needed == '1 label')} the "
            f"{measure.name} of "
            f"{n_bought} random labels ({measure.text(best.passive_errors.mean())}): "
            f"{saved_share(best.savings)} of the labels saved ({interval})."
        )
        level = measure.text(best.constant_errors.mean())
        constant = f"always predicting {self._constant} ({measure.name} {level})"
        at_end = self._contrast(
            f"{n_bought} labels chosen by {name} give",
            f"{n_bought} random labels",
            best.errors,
            best.passive_errors,
            best.gain,
        )
        first, last = best.area_range
        on_average = self._contrast(
            f"averaged over {first:,.0f} to {last:,.0f} labels, chosen labels give",
            "random labels",
            *best.areas,
            best.area_gain,
        )
        then = f"{on_average[0].upper()}{on_average[1:]}"
        if best.is_clear and not best.passive_beats_constant:
            useless = f"Random labels are not clearly better than {constant}."
            return "smaller error", [f"On these data, {at_end}", useless]
        if best.is_clear and not best.savings.is_clear:
            return "smaller error", [
                f"On these data, {on_average}",
                f"At the end, {at_end}",
            ]
        if best.is_clear:
            error, (_, low, _) = best.passive_errors.mean(), best.gain
            least_gain = low / error if error > 0 else 0.0
            if 1 - best.savings.high >= least_gain:
                return "labels saved", [f"On these data, {saved}", then]
            return "smaller error", [f"On these data, {at_end}", then]
        if not best.passive_beats_constant:
            text = (
                f"neither chosen nor random labels are clearly better than {constant}"
            )
            if best.beats_constant:
                text = (
                    "chosen labels are not clearly better than random labels, which "
                    f"are not clearly better than {constant}"
                )
            text = f"No savings on these data: with {n_bought} labels, {text}."
            return "useless", [text]
        if best.is_mixed:
            text = "On these data, chosen labels are better for some numbers of labels"
            return "mixed", [f"{text} and worse for others: {at_end}", then]
        if np.isinf(best.savings.needed):
            rank = "better than" if best.savings.is_worse else "as good as"
            text = (
                f"No savings on these data: {n_bought} random labels are {rank} "
                f"{n_bought} labels chosen by {name}."
            )
            return "nothing saved", [text, then]
        text = f"No savings beyond noise on these data. The estimate: {saved}"
        return "unclear", [text, then]

    def _contrast(self, chosen, random, errors, passive_errors, gain):
        """Return a sentence with two means and the interval of their difference."""
        measure, n_runs, (_, low, high) = self.measure, len(errors), gain
        interval = f"{LEVEL} interval of the difference: {self._difference(low, high)}"
        if n_runs < FEWEST_RUNS:
            interval = f"no interval: there are only {n_runs} runs"
        return (
            f"{chosen} {measure.article} of {measure.text(errors.mean())}, and "
            f"{random} one of {measure.text(passive_errors.mean())} ({interval})."
        )

    def _difference(self, low, high):
        """Return the interval of a difference in words."""
        if self.measure.is_error:  # few runs have intervals wider than possible
            low, high = max(low, -1.0), min(high, 1.0)
        return self.measure.difference(low, high) if low or high else "none"

    def _describe_stretches(self, result):
        """Return a sentence on where chosen labels are behind, if they are."""
        parts = [
            f"{count_range(first, last)} (by up to {self.measure.size(most)})"
            for first, last, most in result.behind
        ]
        if not parts:
            return []
        return [f"Chosen labels are behind random labels {', and '.join(parts)}."]

    @property
    def gains(self) -> list[str]:
        """Sentences on what model, rows and their numbers bring.

        None if learners were given.
        """
        if self.model is None or not self.results[0].savings.is_known:
            return []
        sentences, n_bought = [], f"{self.results[0].n_bought:,.0f}"
        levers = [
            (
                f"Model: with {n_bought} random labels, the default model has",
                "one logistic regression",
                self.model,
            ),
            (
                f"Rows: with the default model, {n_bought} chosen labels give",
                f"{n_bought} random labels",
                self.results[0],
            ),
        ]
        if self.representation is not None:
            chosen = f"Numbers: {n_bought} chosen labels give"
            levers.append((chosen, self.other_name, self.representation))
        for chosen, random, result in levers:
            errors = result.errors, result.passive_errors
            sentence = self._contrast(chosen, random, *errors, result.gain)
            if len(result.errors) >= FEWEST_RUNS:
                difference = self._difference(*result.area_gain[1:])
                sentence += f" On average over the curve: {difference}."
            sentences.append(sentence)
        return sentences

    def to_text(self, data: str | None = None) -> str:
        """Return verdict, table and settings as lines of text.

        Parameters
        ----------
        data : str, default=None
            Description of the data, for a line of the report.

        Returns
        -------
        text : str
            Lines of at most about 100 characters.
        """
        design, named = self.design, self.named_results
        constant = [self.measure.number(self.results[0].constant_errors.mean())]
        table = [
            *self._heading(),
            *(self._cells(name, result) for name, result in named.items()),
            (f"always {self._constant}", "0", *constant * 4, ""),
        ]
        if self.model is not None:
            table.insert(-1, self._model_cells())
        lines = fold(self.verdict.text)
        for sentence in self.gains:
            lines += fold(sentence)
        lines += ["", *align(table), ""]
        lines += [f"data  {data}"] if data else []
        lines += [f"runs  {name}: {self._runs(r)}" for name, r in named.items()]
        lines += [
            "      means over the runs, measured on held-out rows; random state "
            f"{design.random_state}",
            f"{LEVEL}  intervals of the mean over further splits and orders of these "
            "rows",
            "curve average: over all label counts up to the labels bought",
        ]
        if self.measure.why:
            lines.append(f"why   {self.measure.name}: {self.measure.why}")
        notes = [*self.notes, *(note for r in self.results for note in r.notes)]
        for note in dict.fromkeys(notes):
            first, *rest = wrap(note, WIDTH - 6)
            lines += [f"note  {first}", *(f"      {line}" for line in rest)]
        return "\n".join(lines)

    __str__ = to_text

    def _heading(self):
        measure, target = self.measure, self.target_error
        name = f"{measure.name}{' (%)' * measure.is_error}"
        first = ["", "labels", name, "", "average", "", "chosen labels"]
        second = ["", "bought", *["chosen", "random"] * 2, "to match random"]
        if target is not None:
            first += [f"until {measure.text(target)}:", ""]
            second += ["chosen", "random"]
        return [(*first, "labels saved"), (*second, f"({LEVEL} interval)")]

    def _cells(self, name, result):
        """Return the table row of a learner."""
        measure, savings = self.measure, result.savings
        is_known = savings.is_known and result.passive_beats_constant
        means = result.errors, result.passive_errors, *result.areas
        row = [
            name,
            f"{result.n_bought:,.0f}",
            *(measure.number(values.mean()) for values in means),
            count_within(result.n_needed, result.n_bought) if is_known else "–",
        ]
        if self.target_error is not None:
            row += self._labels_to_target(result.curve, result.passive_curve)
        if is_known:
            has_interval = len(result.errors) >= FEWEST_RUNS
            interval = saved_interval(savings) if has_interval else "–"
            return (*row, f"{saved_share(savings)} ({interval})")
        return (*row, "random ≤ constant" if savings.is_known else "unknown")

    def _model_cells(self):
        """Return the table row of one logistic regression with random labels."""
        result = self.model
        end, area = result.passive_errors.mean(), result.areas[1].mean()
        row = [type(result.passive.estimator).__name__, f"{result.n_bought:,.0f}"]
        for error in (end, area):
            row += ["–", self.measure.number(error)]
        row.append("–")
        if self.target_error is not None:
            row += ["–", *self._labels_to_target(result.passive_curve)]
        return (*row, "")

    def _labels_to_target(self, *curves):
        """Return the labels that curves need to reach the target error, in words."""
        return [
            count_within(curve.labels_for(self.target_error), curve.n_bought.mean())
            for curve in curves
        ]

    def _runs(self, result):
        """Return how a learner was run, in a line."""
        design, learner = self.design, result.learner
        n_runs, rows = len(result.errors), design.rows_for(learner)
        which = f"{design.cv} folds × {n_runs // design.cv} repeats"
        if rows < design.n_rows:
            kind = "random" if design.shares_rows(learner) else "separate"
            which = f"{n_runs} runs of {rows:,} {kind} rows"
        return (
            f"{which}, {result.curve.n_offered.max():,} to choose from, "
            f"{result.curve.n_held_out.max():,} held out"
        )

    def table(self) -> list[dict[str, Any]]:
        """Return the table as one dict for each learner, unrounded."""
        return [result.row() for result in self.results]

    def to_frame(self) -> "DataFrame":
        """Return the table as a pandas DataFrame with a row for each learner."""
        return frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists and numbers; None for NaN and infinity."""
        results = []
        for result in [*self.results, *[self.model] * (self.model is not None)]:
            values = result.row() | {"notes": result.notes, "runs": {}}
            values["behind"] = [stretch._asdict() for stretch in result.behind]
            for name in ("errors", "passive_errors", "constant_errors"):
                values["runs"][name] = getattr(result, name)
            values["runs"]["labels_bought"] = result.curve.n_bought
            for name in ("curve", "passive_curve"):
                curve = getattr(result, name)
                bought = curve.n_labels <= curve.n_bought.max()
                values[name] = {
                    "labels": curve.n_labels[bought],
                    "error_mean": curve.best - curve.mean[bought],
                    "error_std": curve.std[bought],
                }
                if self.target_error is not None:
                    n_labels = curve.labels_for(self.target_error)
                    values[name]["labels_to_target"] = n_labels
            results.append(values)
        model = results.pop() if self.model is not None else None
        return plain(
            {
                **vars(self.design),
                "measure": vars(self.measure),
                "target_error": self.target_error,
                "classes": self.classes,
                "verdict": self.verdict._asdict(),
                "results": results,
                "model": model,
                "gains": self.gains,
                "notes": self.notes,
            }
        )

    def plot(self, ax: "Axes | None" = None) -> LabelCurveDisplay:
        """Draw error against labels bought: learners in colours, random labels grey.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a figure.

        Returns
        -------
        display : LabelCurveDisplay
            The display, drawn.
        """
        named = self.named_results
        band = 0.8 if len(named) <= 3 else 0  # more bands hide one another
        passive = {f"random, {n}": r.passive_curve for n, r in named.items()}
        if self.model is not None:
            passive["random, LogisticRegression"] = self.model.passive_curve
        return LabelCurveDisplay(
            {name: result.curve for name, result in named.items()},
            passive=passive,
            target=self.target_error,
        ).plot(ax, band=band)


def fold(text):
    """Break a text into lines, but not between a number and its unit."""
    lines = wrap(text.replace(" %", "\N{NO-BREAK SPACE}%"), WIDTH)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def count_within(n_labels, most):
    """Return a number of labels in words; infinity means that it was not reached."""
    if np.isinf(n_labels):
        return f"not within {most:,.0f}"
    return f"{min(n_labels, most):,.0f}"


def count_labels(n_labels):
    """Return a number of labels in words."""
    number = f"{n_labels:,.0f}"
    return f"{number} label{'s' * (number != '1')}"


def count_range(first, last):
    """Return a range of label counts in words."""
    if round(first) == round(last):
        return f"at {count_labels(first)}"
    return f"between {first:,.0f} and {last:,.0f} labels"


def saved_share(savings):
    """Return the share of labels saved, in words."""
    return f"{percent(1 - savings.needed)} %" if savings.needed < 1 else "none"


def saved_interval(savings):
    """Return the interval of the share of labels saved, in words."""
    least, most = (
        percent(1 - end) if end < 1 else "none" for end in (savings.high, savings.low)
    )
    return most if most == least else f"{least}–{most}"
