"""The share of labels saved, and the interval of the one test that decides."""

import numpy as np
import pytest
from scipy.stats import t as student

from sklearn_activelearn._cli.savings import savings
from sklearn_activelearn.evaluation import LabelCurve, compare_label_curves

COUNTS = np.arange(10, 101, 10)


def curves(rate, other_rate=1.0, noise=0.0, n_runs=10, counts=COUNTS, seed=0):
    """Return curves of which the first needs 1 / rate times as many labels."""
    rng = np.random.RandomState(seed)
    out = []
    for speed in (rate, other_rate):
        error = 0.5 * (speed * counts / 10.0) ** -0.5
        errors = error + noise * rng.normal(size=(n_runs, 1))
        n_bought = np.full(n_runs, counts[-1])
        out.append(
            LabelCurve(
                counts, 1 - errors, n_bought, 1 - errors[:, -1],
                np.full(n_runs, 400), np.full(n_runs, 100),
                np.arange(n_runs).astype(str),
            )
        )  # fmt: skip
    return out


def refused(chosen, passive, share, confidence=0.95):
    """Whether the test refuses a share: -1 for too few labels, 1 for too many."""
    wanted = share * 100
    d = np.array(
        [
            np.interp(wanted, COUNTS, 1 - own) - (1 - other[-1])
            for own, other in zip(chosen.scores, passive.scores, strict=True)
        ]
    )
    error = d.std(ddof=1) * np.sqrt(1 / len(d))
    limit = student.ppf((1 + confidence) / 2, len(d) - 1) * error
    return -1 if d.mean() > limit else 1 if d.mean() < -limit else 0


def test_twice_as_quick():
    found = savings(*curves(2.0), 0.95)
    # 0.5 / sqrt(10): between 50 labels, where it is reached, and the counts around
    assert found == pytest.approx((0.5, 0.5, 0.5), abs=0.01)
    assert found.is_clear
    assert not found.is_worse


@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_the_interval_holds_what_the_test_does_not_refuse(confidence):
    chosen, passive = curves(2.0, noise=0.01)
    found = savings(chosen, passive, confidence)
    assert 0.1 < found.low < found.needed < found.high < 1
    for share, expected in (
        (found.low * 0.97, -1),
        (found.low * 1.03, 0),
        (found.high * 0.97, 0),
        (found.high * 1.03, 1),
    ):
        outcome = refused(chosen, passive, share, confidence)
        assert outcome == expected


@pytest.mark.parametrize("noise", [0.005, 0.02, 0.03, 0.04, 0.06, 0.1])
def test_it_is_the_test_of_as_many_labels(noise):
    chosen, passive = curves(1.5, noise=noise, seed=3)
    found = savings(chosen, passive, 0.95)
    test = compare_label_curves(chosen, passive, at=[100])
    assert found.is_clear == (test.low[0] > 0)
    worse = savings(passive, chosen, 0.95)
    assert worse.is_worse == (test.low[0] > 0)
    assert worse.is_worse <= np.isinf(worse.needed)


def test_more_runs_tell_more():
    few, many = (savings(*curves(2.0, noise=0.03, n_runs=n), 0.95) for n in (10, 160))
    assert few.low < many.low < many.high < few.high
    assert many.high - many.low < 0.4 * (few.high - few.low)


def test_the_fewest_labels_may_do():
    found = savings(*curves(50.0), 0.95)
    assert found.low == 0
    assert found.needed == pytest.approx(0.1)


def test_a_dip_that_does_not_stay_is_no_saving():
    chosen, passive = curves(1.5)
    chosen.scores[:, 2] = 0.99
    found = savings(chosen, passive, 0.95)
    assert found.needed == pytest.approx(1 / 1.5, abs=0.02)
    assert found.high == pytest.approx(1 / 1.5, abs=0.02)
    assert found.low < 0.3  # what the test does not refuse there is in the interval


def test_equal_curves_are_within_noise():
    curve, _ = curves(1.0)
    found = savings(curve, curve, 0.95)
    assert found.needed == pytest.approx(1)
    assert not found.is_clear
    assert not found.is_worse


def test_never():
    found = savings(*curves(0.5), 0.95)
    assert np.isinf(found).all()
    assert found.is_worse


def test_each_run_is_compared_at_its_own_number_of_labels():
    _, passive = curves(1.0, counts=np.arange(10, 401, 10))
    short = curves(2.0, counts=np.arange(10, 201, 10))[0]
    n_bought = np.array([100, 200] * 5)
    ends = short.scores_at(n_bought).diagonal()
    short = LabelCurve(
        short.n_labels,
        np.where(short.n_labels > n_bought[:, None], np.nan, short.scores),
        n_bought, ends, short.n_offered, short.n_held_out, short.runs,
    )  # fmt: skip
    assert savings(short, passive, 0.95).needed == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("n_bought", [0, 5])
def test_not_known_where_there_is_nothing_to_compare(n_bought):
    chosen, passive = curves(2.0)
    none = LabelCurve(
        chosen.n_labels, np.full_like(chosen.scores, np.nan),
        np.array([n_bought, *[100] * 9]), chosen.final_scores,
        chosen.n_offered, chosen.n_held_out, chosen.runs,
    )  # fmt: skip
    found = savings(none, passive, 0.95)
    assert not found.is_known
    assert not found.is_clear
    assert not found.is_worse
