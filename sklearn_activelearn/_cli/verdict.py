"""What a comparison found, in a sentence."""

import numpy as np

from .comparison import CONFIDENCE
from .measure import percent

LEVEL = f"{CONFIDENCE:.0%}".replace("%", " %")


def verdict(plan, named):
    """Return in words whether chosen labels are better than random ones.

    If several learners are, it is about the one whose model has the smallest error with
    random labels: where these hardly train it, much is saved of little. Of two true
    sentences, on labels saved and on the error, it states the one whose interval
    begins further from nothing. No labels are saved at an error that a constant
    answer has.
    """
    known = [(n, r) for n, r in named.items() if r.savings.is_known]
    if not known:
        return "Nothing to compare: in some run no labels were bought, or too few."
    clear = [(n, r) for n, r in known if r.is_clear]
    useful = [(n, r) for n, r in known if r.random_are_of_use]
    name, best = min(clear or useful or known, key=lambda item: quality(item[1]))
    if clear:
        return f"On these data {clear_sentence(plan.measure, name, best, plan)}"
    if not best.random_are_of_use:
        both = "neither chosen nor random labels are"
        if best.chosen_are_of_use:
            both = "chosen labels are not clearly better than random ones, nor these"
        return (
            f"No savings to speak of on these data: with {best.n_bought:,.0f} labels "
            f"{both} better than {constant(plan, best)}, beyond noise."
        )
    if np.isinf(best.savings.needed):
        rank = "better" if best.savings.is_worse else "as good"
        return f"No savings on these data: as many random labels are {rank}."
    return (
        "No savings beyond noise on these data: perhaps "
        f"{work(plan.measure, name, best)}."
    )


def clear_sentence(measure, name, best, plan):
    """Return what is sure: labels saved, or a smaller error with as many."""
    if best.random_are_of_use and best.savings.least >= least_gain(best):
        return f"{work(measure, name, best)}."
    _, low, high = best.gain
    text = (
        f"{best.n_bought:,.0f} labels chosen by {name} give {measure.article} of "
        f"{measure.text(best.errors.mean())} instead of "
        f"{measure.text(best.passive_errors.mean())} with as many random ones "
        f"({LEVEL}: {measure.difference(low, high)})."
    )
    if not best.random_are_of_use:
        text += f" Random ones are no better than {constant(plan, best)}, beyond noise."
    return text


def work(measure, name, best):
    """Return how many labels do the work of how many."""
    return (
        f"{best.n_needed:,.0f} labels chosen by {name} do the work of "
        f"{best.n_bought:,.0f} random ones, {measure.article} of "
        f"{measure.text(best.passive_errors.mean())}: {saved(best.savings)}"
    )


def constant(plan, result):
    """Return what a constant answer reaches, in words."""
    level = plan.measure.text(result.constant_errors.mean())
    return f"always answering {plan.answer!r} ({plan.measure.article} of {level})"


def least_gain(result):
    """Return the share of the error that chosen labels remove at least."""
    error = result.passive_errors.mean()
    return result.gain[1] / error if error > 0 else 0.0


def quality(result):
    """Return what is smaller for the better of two results."""
    return result.passive_errors.mean(), result.savings


def saved(savings):
    """Return the share of labels saved, with its interval."""
    if not savings.is_known:
        return "not known"
    most, least = share(savings.low), share(savings.high)
    ends = most if most == least else f"{least}–{most}"
    text = share(savings.needed)
    return f"{text}{' %' * (text != 'none')} saved ({LEVEL}: {ends})"


def share(needed):
    """Return the share that is saved where another one is needed, in percent."""
    return percent(1 - needed) if needed < 1 else "none"
