"""Results of a comparison with random labels: recommendation, verdict and table."""

from dataclasses import dataclass
from functools import cached_property
from shlex import quote
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import clone

from ..utils.typing import Estimator
from ._curves import LabelCurve, frame, plain
from ._design import Design
from ._displays import LabelCurveDisplay
from ._learner_result import CONFIDENCE, FEWEST_RUNS, LearnerResult
from ._measures import NamedMeasure, percent
from ._race import PLANNED_AFTER, is_known

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

LEVEL = f"{100 * CONFIDENCE:g} %"

#: A prediction is as good as a constant if its error is not lower by this share.
NO_BETTER = 0.1
#: Minutes that are suggested if there were too few.
MINUTES = (5, 10, 20, 30, 60)
#: Suggested minutes are at most this many times the minutes of one to three repeats,
#: which tell an order of magnitude.
MOST_TIMES = 10
#: With fewer held-out rows in all runs, errors that are equal in each run may still
#: differ by 1 % of the rows (95 % confidence).
FEW_HELD_OUT = 300
#: Parameters that a comparison sets for its runs, and that are no part of an advice.
OF_THE_RUNS = ("batch_size", "budget", "random_state")
#: Characters in a line of the report.
WIDTH = 100


class Verdict(NamedTuple):
    """Result of a comparison in a few sentences.

    Attributes
    ----------
    outcome : str
        "labels saved", "smaller error", "mixed" (better at the end and worse on
        average, or the reverse), "nothing saved", "useless" (no better than a constant
        prediction), "unclear" (more runs are needed), or "unknown" (a run bought no
        labels).
    learner : str or None
        Name of the learner that the sentences are about.
    text : str
        The sentences.
    """

    outcome: str
    learner: str | None
    text: str


class Effort(NamedTuple):
    """The repeats and the time of a comparison.

    Attributes
    ----------
    n_repeats : int
        Repeats that have ended. With `n_repeats` of this number, `compare` returns the
        same. 0: the first one has not ended.
    n_planned : int
        Repeats that narrow intervals need, as planned.
    minutes : float or None
        Minutes that were allowed; None if a number of repeats was asked for.
    ended_by : str
        "repeats", if all repeats that were asked for or planned have ended, "time", or
        "interrupt".
    """

    n_repeats: int
    n_planned: int
    minutes: float | None
    ended_by: str


class Passive(NamedTuple):
    """A passive baseline, its runs, and the name of its model."""

    learner: Any
    curve: LabelCurve
    model: str


class Gain(NamedTuple):
    """One choice against another, for a sentence.

    Attributes
    ----------
    chosen, rival : str
        Words for both.
    result : LearnerResult
        Their runs.
    """

    chosen: str
    rival: str
    result: LearnerResult


@dataclass(frozen=True, eq=False)
class Comparison:
    """Labels saved by active learners on labelled data; the result of `compare`.

    Printed, it is the verdict, a table and how it was run.

    Attributes
    ----------
    answer : LearnerResult
        The recommended learner against random labels for the model that is best with
        them. No run judges a choice in which it took part.
    results : list of LearnerResult
        Each learner against the same random labels, over all of its runs.
    passives : list of Passive
        Random labels for each model: ``learner`` and ``curve``.
    design : Design
        Rows and folds.
    effort : Effort
        Repeats and minutes.
    measure : NamedMeasure
        The measure of all errors.
    target_error : float or None
        Error for which the labels are counted, too.
    classes : list of str
        Classes, the most frequent one first.
    notes : tuple of str
        Default learners that were left out, with the reason.
    contrasts : tuple of Gain
        What the model, chosen rows and the preprocessor bring.
    """

    answer: LearnerResult
    results: list[LearnerResult]
    passives: list[Passive]
    design: Design
    effort: Effort
    measure: NamedMeasure
    target_error: float | None
    classes: list[str]
    notes: tuple[str, ...] = ()
    contrasts: tuple[Gain, ...] = ()

    @property
    def recommended(self) -> Estimator:
        """The learner to use, unfitted, with the settings of the runs.

        It is the first learner, unless another one is better beyond noise, or random
        labels are.
        """
        return clone(self.answer.passive if self._is_lost else self.answer.learner)

    @property
    def option(self) -> str:
        """The learner to use as text, for the option --learner of the command label."""
        return learner_option(self.recommended)

    @property
    def _is_lost(self):
        return self.answer.savings.is_known and self.answer.is_worse

    @property
    def named_results(self) -> dict[str, LearnerResult]:
        """Results by the short names of their learners."""
        names = short_names([result.learner for result in self.results])
        return dict(zip(names, self.results, strict=True))

    @property
    def named_passives(self) -> dict[str, LabelCurve]:
        """Curves of random labels by the names of their models."""
        names = number_equal([f"random, {each.model}" for each in self.passives])
        curves = [each.curve for each in self.passives]
        return dict(zip(names, curves, strict=True))

    @property
    def _whole(self):
        """The recommended learner over all of its runs, as in the table.

        Each half of the runs chooses a learner; the answer has the errors of these two.
        """
        return next(r for r in self.results if r.learner is self.answer.learner)

    @property
    def _constant(self):
        """Words for the constant prediction."""
        if self.design.has_label_sets:
            return "the most frequent labels"
        return repr(self.classes[0])

    @cached_property
    def verdict(self) -> Verdict:
        """Sentences on the learner to use, and on the labels that it saves.

        Both the end of the curves and the area below them are judged, against the model
        that is best with random labels. Nothing is called saved at an error that a
        constant prediction reaches, and nothing is decided while intervals are wide.
        """
        answer = self.answer
        if not answer.savings.is_known:
            text = "Nothing to compare: in some run no labels were bought, or too few."
            return Verdict("unknown", None, text)
        outcome, sentences = self._judge(answer)
        parts = [
            f"{count_range(first, last)} (by up to {self.measure.size(most)})"
            for first, last, most in answer.behind
        ]
        if parts and outcome != "unclear":
            behind = f"Chosen labels are behind random labels {', and '.join(parts)}."
            sentences.append(behind)
        names = {id(r.learner): name for name, r in self.named_results.items()}
        return Verdict(outcome, names.get(id(answer.learner)), " ".join(sentences))

    def _judge(self, answer):
        """Return the outcome, and sentences, the first of which says what to do."""
        measure, n_bought = self.measure, f"{answer.n_bought:,.0f}"
        use = f"`--learner {self.option}`"
        passive = next(p.model for p in self.passives if p.learner is answer.passive)
        best = f"the best model for random labels, {passive}"
        constant = (
            f"always predicting {self._constant} "
            f"({measure.name} {measure.text(answer.constant_errors.mean())})"
        )
        whole = self._whole
        end = self._contrast(
            f"{n_bought} chosen labels give", f"{n_bought} random labels with {best},",
            whole.errors, whole.passive_errors, answer.gain,
        )  # fmt: skip
        first, last = answer.area_range
        average = self._contrast(
            f"averaged over {first:,.0f} to {last:,.0f} labels, chosen labels give",
            "random labels", *whole.areas, answer.area_gain,
        )  # fmt: skip
        then = capitalise(average)
        so_far = f"So far, {use} has no clear lead over {best}"
        if self._has_no_difference(answer):
            so_far += ", and few rows are held out: errors are equal in all runs."
        elif answer.passive_beats_constant:
            so_far += f", {self._saved(answer)}."
        else:  # a share of the labels for an error that needs no labels
            so_far += f", and random labels are not clearly better than {constant}."
        unclear = (
            "unclear",
            [
                f"It cannot be told {self._limit()} whether chosen rows save labels: "
                f"{self._advise()}. {so_far}",
                then,
            ],
        )
        if len(answer.errors) < FEWEST_RUNS:
            return unclear
        if answer.is_clear and not answer.passive_beats_constant:
            useless = f"Random labels are not clearly better than {constant}."
            return "smaller error", [f"Use {use}: {end}", useless]
        if answer.is_clear and answer.savings.is_clear:
            do = "does" if count_labels(answer.n_needed) == "1 label" else "do"
            level = measure.text(whole.passive_errors.mean())
            return "labels saved", [
                f"Use {use}: {count_labels(answer.n_needed)} {do} what {n_bought} "
                f"random ones do with {best} ({measure.name} {level}), "
                f"{self._saved(answer)}.",
                then,
            ]
        if answer.is_clear:
            return "smaller error", [f"Use {use}: {average}", f"At the end, {end}"]
        if self._is_no_better_than_constant(answer):
            return "useless", [
                f"No savings on these data: with {n_bought} labels, neither chosen nor "
                f"random ones are clearly better than {constant}. See whether people "
                "agree on the same rows. More labels, other columns or another measure "
                "may help."
            ]
        if answer.is_worse:
            return "nothing saved", [
                f"No savings on these data. Use {use}, which takes random rows: {end}",
                then,
            ]
        if answer.is_mixed and is_known(answer):
            return "mixed", [
                f"Use {use} only for some numbers of labels: chosen labels are better "
                f"for some and worse for others. {capitalise(end)}",
                then,
            ]
        if self._has_no_difference(answer):
            return unclear
        if is_known(answer) and answer.passive_beats_constant:
            return "nothing saved", [
                f"No savings on these data: {use} needs about as many labels as "
                f"random rows with {best}, {self._saved(answer)}.",
                capitalise(end),
                then,
            ]
        return unclear

    def _is_no_better_than_constant(self, answer):
        """Return True if neither kind of labels can be much better than a constant."""
        if answer.passive_beats_constant:
            return False
        return answer.constant_gain[2] < NO_BETTER * answer.constant_errors.mean()

    def _has_no_difference(self, answer):
        """Return True if few held-out rows show no difference, which is no evidence."""
        n_held_out = answer.curve.n_held_out.sum()
        return n_held_out < FEW_HELD_OUT and not any((*answer.gain, *answer.area_gain))

    def _saved(self, answer):
        """Return the share of labels saved with its interval, in words."""
        savings = answer.savings
        n = percent(abs(savings.share))
        if savings.share >= 0:
            text = f"{n} % of the labels saved"
        else:
            text = f"{n} % of the labels lost"
        if len(answer.errors) < FEWEST_RUNS:
            n_runs = len(answer.errors)
            return f"{text} (no interval: {count_runs(n_runs)})"
        return f"{text} ({LEVEL} interval: {saved_interval(savings)})"

    def _limit(self):
        """Return the limit of time or repeats, in words."""
        n_repeats, _, minutes, ended_by = self.effort
        if ended_by == "interrupt":
            return "yet"
        if ended_by == "repeats":
            return f"with {n_repeats} repeat{'s' * (n_repeats != 1)}"
        if round(minutes) <= 1:
            return "in a minute" if minutes > 0.7 else f"in {60 * minutes:.0f} seconds"
        return f"in {minutes:.0f} minutes"

    def _advise(self):
        """Return the option that is expected to suffice.

        More minutes than were needed for the planned repeats give the same result.
        """
        n_repeats, n_planned, minutes, ended_by = self.effort
        if ended_by == "interrupt":
            return "the runs were interrupted"
        if ended_by == "repeats":
            return f"`--repeats {max(2 * n_repeats, n_planned)}`"
        n_ended = n_repeats or len(self.answer.errors) / self.design.cv
        times = (n_planned if n_repeats else 1) / n_ended
        needed = minutes * max(2, times)
        if n_repeats < PLANNED_AFTER[-1]:  # the plan is a rough one
            needed = min(needed, MOST_TIMES * minutes)
        longer = [each for each in MINUTES if each >= min(needed, MINUTES[-1])]
        return f"`--minutes {max(longer[0], 2 * minutes):.0f}`"

    @property
    def headline(self) -> str:
        """The labels saved so far, in a line."""
        answer, measure = self.answer, self.measure
        if not answer.savings.is_known:
            return "unknown"
        whole, saved = self._whole, "no share of labels saved yet"
        if answer.passive_beats_constant:
            saved = self._saved(answer)
        return (
            f"{self.option}: {saved}; {measure.name} "
            f"{measure.text(whole.errors.mean())}, random labels "
            f"{measure.text(whole.passive_errors.mean())}"
        )

    def _contrast(self, chosen, random, errors, passive_errors, gain):
        """Return a sentence with two means and the interval of their difference."""
        measure, n_runs, (_, low, high) = self.measure, len(errors), gain
        # a model may have left the race before others
        runs = f", {n_runs} runs" if n_runs < len(self.answer.errors) else ""
        difference = self._difference(low, high)
        interval = f"{LEVEL} interval of the difference{runs}: {difference}"
        if n_runs < FEWEST_RUNS:
            interval = f"no interval: {count_runs(n_runs)}"
        return (
            f"{chosen} {measure.article} of {measure.text(errors.mean())}, and "
            f"{random} one of {measure.text(passive_errors.mean())} ({interval})."
        )

    def _difference(self, low, high):
        """Return the interval of a difference in words."""
        if self.measure.is_error:  # few runs have intervals wider than possible
            low, high = max(low, -1.0), min(high, 1.0)
        return self.measure.difference(low, high) if low or high else "none"

    @property
    def gains(self) -> list[str]:
        """Sentences on what the model, chosen rows and the preprocessor bring.

        None if learners were given.
        """
        sentences = []
        for chosen, rival, result in self.contrasts:
            if not result.savings.is_known:
                continue
            n_bought = f"{result.n_bought:,.0f}"
            sentence = self._contrast(
                chosen.format(n=n_bought), rival.format(n=n_bought),
                result.errors, result.passive_errors, result.gain,
            )  # fmt: skip
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
        lines = fold(self.verdict.text)
        for sentence in self.gains:
            lines += fold(sentence)
        lines += ["", *align(self._table_lines()), ""]
        lines += [f"data  {data}"] if data else []
        lines += [
            f"runs  {self._runs()}",
            f"      random state {self.design.random_state}; means over the runs of a "
            "line, measured on held-out rows",
            f"{LEVEL}  intervals of the mean over further splits and orders of these "
            "rows",
        ]
        if self.measure.why:
            lines.append(f"why   {self.measure.name}: {self.measure.why}")
        notes = [*self.notes, *(note for r in self.results for note in r.notes)]
        for note in dict.fromkeys(notes):
            first, *rest = wrap(note, WIDTH - 6)
            lines += [f"note  {first}", *(f"      {line}" for line in rest)]
        return "\n".join(lines)

    __str__ = to_text

    def _table_lines(self):
        """Return the rows of the table: learners, random labels, a constant."""
        measure, target = self.measure, self.target_error
        name = f"{measure.name}{' (%)' * measure.is_error}"
        until = [] if target is None else [f"until {measure.text(target)}"]
        first = "", "labels", name, "", *until, "", "labels for", "labels saved"
        second = (
            "", "bought", "at end", "average", *[""] * len(until), "runs",
            "best random", f"({LEVEL} interval)",
        )  # fmt: skip
        rows = [first, second]
        for name, result in self.named_results.items():
            is_recommended = result.learner is self.answer.learner
            judged = self.answer if is_recommended else result
            rows.append(
                self._cells(name, result.curve, result.areas[0], judged.savings, judged)
            )
        for name, curve in self.named_passives.items():
            areas = LearnerResult(None, None, curve, curve).areas[0]
            rows.append(self._cells(name, curve, areas))
        constant = self.measure.number(self.answer.constant_errors.mean())
        rows.append(
            (f"always {self._constant}", "0", constant, constant, *["–"] * len(until),
             "", "", "")
        )  # fmt: skip
        return rows

    def _cells(self, name, curve, areas, savings=None, judged=None):
        """Return the table row of a curve."""
        measure = self.measure
        n_bought, error = curve.n_bought.mean(), curve.best - curve.final_scores
        row = [
            name, f"{n_bought:,.0f}",
            measure.number(error.mean()), measure.number(areas.mean()),
        ]  # fmt: skip
        if self.target_error is not None:
            row.append(count_within(curve.labels_for(self.target_error), n_bought))
        row.append(f"{len(error)}")
        if savings is None:
            return (*row, "–", "")
        if not savings.is_known:
            return (*row, "–", "unknown")
        if not judged.passive_beats_constant:
            return (*row, "–", "random ≤ constant")
        interval = "–"
        if len(judged.errors) >= FEWEST_RUNS:
            interval = saved_interval(savings)
        needed = count_within(judged.n_needed, judged.n_bought)
        return (*row, needed, f"{signed_percent(savings.share)} % ({interval})")

    def _runs(self):
        """Return how learners were run, in a line."""
        design, (n_repeats, _, minutes, _) = self.design, self.effort
        curve = self.answer.curve
        which = f"{design.cv} folds × {n_repeats} repeat{'s' * (n_repeats != 1)}"
        if design.n_run_rows < design.n_rows:
            n_runs = design.cv * n_repeats
            which = f"{n_runs} runs of {design.n_run_rows:,} random rows"
        if n_repeats == 0:
            which = f"{len(curve.runs)} of {design.cv} folds, not a whole repeat"
        n_more = len(curve.runs) - design.cv * n_repeats
        is_whole = n_repeats > 0 and n_more == 0
        if n_repeats and n_more > 0:
            which += f" and {n_more} more run{'s' * (n_more != 1)}"
        same = f", the same again with --repeats {n_repeats}"
        offered, held_out = curve.n_offered.max(), curve.n_held_out.max()
        return (
            f"{which}, {offered:,} to choose from, {held_out:,} held out"
            f"{same * (minutes is not None and is_whole)}"
        )

    def table(self) -> list[dict[str, Any]]:
        """Return the table as one dict for each learner, unrounded."""
        return [self._row(result) for result in self.results]

    def _row(self, result):
        """Return names and figures of a learner."""
        judged = self.answer if result.learner is self.answer.learner else result
        # random labels that are no better than a constant save no labels
        unknown = 0.0 if judged.passive_beats_constant else np.nan
        share, low, high = np.array(judged.savings) + unknown
        return {
            "learner": learner_code(result.learner),
            "option": learner_option(result.learner),
            "passive": learner_code(result.passive),
            "is_recommended": result.learner is self.answer.learner
            and not self._is_lost,
            "n_runs": len(result.errors),
            "labels_bought": result.n_bought,
            "error": result.errors.mean(),
            "passive_error": result.passive_errors.mean(),
            "area": result.areas[0].mean(),
            "passive_area": result.areas[1].mean(),
            "constant_error": result.constant_errors.mean(),
            "labels_needed": judged.n_needed + unknown,
            "saved": share,
            "saved_low": low,
            "saved_high": high,
            "saved_is_clear": judged.is_clear and judged.passive_beats_constant,
            "beats_constant": judged.beats_constant,
            "passive_beats_constant": judged.passive_beats_constant,
            "confidence": CONFIDENCE,
        }

    def to_frame(self) -> "DataFrame":
        """Return the table as a pandas DataFrame with a row for each learner."""
        return frame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists and numbers; None for NaN and infinity."""
        results = []
        for result in self.results:
            values = self._row(result) | {"notes": result.notes, "runs": {}}
            values["behind"] = [stretch._asdict() for stretch in result.behind]
            for name in ("errors", "passive_errors", "constant_errors"):
                values["runs"][name] = getattr(result, name)
            values["runs"]["labels_bought"] = result.curve.n_bought
            for name in ("curve", "passive_curve"):
                values[name] = self._points(getattr(result, name))
            results.append(values)
        return plain(
            {
                **vars(self.design),
                **self.effort._asdict(),
                "measure": vars(self.measure),
                "target_error": self.target_error,
                "classes": self.classes,
                "recommended": learner_code(self.recommended),
                "option": self.option,
                "verdict": self.verdict._asdict(),
                "results": results,
                "passives": [
                    {"learner": learner_code(each.learner), **self._points(each.curve)}
                    for each in self.passives
                ],
                "gains": self.gains,
                "notes": self.notes,
            }
        )

    def _points(self, curve):
        """Return the means of a curve."""
        bought = curve.n_labels <= curve.n_bought.max()
        values = {
            "labels": curve.n_labels[bought],
            "error_mean": curve.best - curve.mean[bought],
            "error_std": curve.std[bought],
        }
        if self.target_error is not None:
            values["labels_to_target"] = curve.labels_for(self.target_error)
        return values

    def plot(self, ax: "Axes | None" = None) -> LabelCurveDisplay:
        """Draw error against labels bought.

        The recommended learner and the best random labels have colours and bands; the
        others are thin and grey.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. None makes a figure.

        Returns
        -------
        display : LabelCurveDisplay
            The display, drawn.
        """
        curves, passive, others = {}, {}, {}
        for name, result in self.named_results.items():
            is_answer = result.learner is self.answer.learner
            (curves if is_answer else others)[name] = result.curve
        for name, each in zip(self.named_passives, self.passives, strict=True):
            is_answer = each.learner is self.answer.passive
            (passive if is_answer else others)[name] = each.curve
        return LabelCurveDisplay(
            curves, passive=passive, others=others, target=self.target_error
        ).plot(ax)


def learner_code(learner):
    """Return a learner as code on one line."""
    return " ".join(repr(learner).split()).removesuffix("()")


def learner_option(learner):
    """Return a learner as the value of the option --learner, quoted for a shell."""
    params, default = learner.get_params(deep=False), type(learner)().get_params()
    changed = [
        f"{name}={' '.join(repr(value).split())}"
        for name, value in params.items()
        if name not in OF_THE_RUNS and repr(value) != repr(default[name])
    ]
    name = type(learner).__name__.removesuffix("Classifier")
    text = f"{name}:{','.join(changed)}" if changed else name
    if '"' not in text:
        text = text.replace("'", '"')  # quotes within quotes are hard to read
    return quote(text)


def model_name(learner):
    """Return the name of the model of a learner."""
    model = learner.get_params(deep=False).get("estimator")
    if model is None:
        model = learner
    return type(model).__name__.removesuffix("Classifier")


def short_names(learners):
    """Return names without "Classifier", with the models that are given."""
    names = [type(learner).__name__.removesuffix("Classifier") for learner in learners]
    for i, (name, learner) in enumerate(zip(list(names), learners, strict=True)):
        model = learner.get_params(deep=False).get("estimator")
        if model is not None:
            names[i] = f"{name}, {model_name(learner)}"
    return number_equal(names)


def number_equal(names):
    """Return the names; equal names get numbers."""
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


def fold(text):
    """Break a text into lines, but not between a number and its unit."""
    lines = wrap(text.replace(" %", "\N{NO-BREAK SPACE}%"), WIDTH)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def capitalise(text):
    """Return a text with a capital letter."""
    return f"{text[0].upper()}{text[1:]}"


def count_within(n_labels, most):
    """Return a number of labels in words; infinity means that it was not reached."""
    if np.isinf(n_labels):
        return f"not within {most:,.0f}"
    return f"{min(n_labels, most):,.0f}"


def count_labels(n_labels):
    """Return a number of labels in words."""
    number = f"{n_labels:,.0f}"
    return f"{number} label{'s' * (number != '1')}"


def count_runs(n_runs):
    """Return that there are too few runs, in words."""
    return f"only {n_runs} run{'s' * (n_runs != 1)}"


def count_range(first, last):
    """Return a range of label counts in words."""
    if round(first) == round(last):
        return f"at {count_labels(first)}"
    return f"between {first:,.0f} and {last:,.0f} labels"


def saved_interval(savings):
    """Return the interval of the share of labels saved, in words."""
    low, high = signed_percent(savings.low), signed_percent(savings.high)
    if low == high:
        return low
    return f"{low} to {high}" if savings.low < 0 else f"{low}–{high}"


def signed_percent(share):
    """Return a share in percent, with a minus sign if it is negative."""
    sign = "−" if share < 0 and percent(-share) != "0" else ""
    return f"{sign}{percent(abs(share))}"
