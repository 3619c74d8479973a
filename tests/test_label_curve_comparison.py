"""Areas under label curves, and paired tests of two of them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from sklearn_activelearn import CBGZClassifier, RandomSamplingClassifier
from sklearn_activelearn.evaluation import label_curve
from sklearn_activelearn.utils._statistics import paired_t_test
from tests.tools import curve_of, problem

nan = np.nan
X, y = problem(120, 4)


class TestArea:
    @given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.data())
    def test_it_is_the_mean_of_the_scores(self, scores, data):
        curve = curve_of(range(1, len(scores) + 1), [scores, scores[::-1]])
        start = data.draw(st.integers(1, len(scores)))
        stop = data.draw(st.integers(start, len(scores)))
        area = curve.area(start, stop)
        expected = [np.mean(run[start - 1 : stop]) for run in (scores, scores[::-1])]
        np.testing.assert_allclose(area, expected)

    def test_scores_are_carried_between_counts_and_after_the_end(self):
        curve = curve_of([2, 5], [[0.5, 0.9]])
        assert curve.area(2, 5) == pytest.approx([(0.5 + 0.5 + 0.5 + 0.9) / 4])
        assert curve.area(5, 8) == pytest.approx([0.9])
        # ended with 3 labels, which is no count of the curve
        curve = curve_of([2, 5], [[0.5, nan]], [3], [0.8])
        assert curve.area(2, 5) == pytest.approx([(0.5 + 0.8 + 0.8 + 0.8) / 4])
        # went on to 9 labels, after the last count of the curve
        curve = curve_of([2, 5], [[0.5, 0.6]], [9], [0.7])
        assert curve.area(8, 10) == pytest.approx([(0.6 + 0.7 + 0.7) / 3])

    def test_it_begins_where_all_runs_have_a_score(self):
        curve = curve_of([1, 2, 3], [[0.1, 0.2, 0.3], [nan, 0.4, 0.6]])
        np.testing.assert_allclose(curve.area(), [0.25, 0.5])
        with pytest.raises(ValueError, match="before 2"):
            curve.area(1)
        with pytest.raises(ValueError, match="stop"):
            curve.area(3, 2)


class TestScoresAt:
    def test_counts_of_the_curve_and_others(self):
        curve = curve_of([2, 4], [[0.5, 0.7], [nan, 0.6]], [4, 9], [0.7, 0.8])
        np.testing.assert_array_equal(
            curve.scores_at([1, 2, 3, 4, 8, 9]),
            [[nan, 0.5, 0.5, 0.7, 0.7, 0.7], [nan, nan, nan, 0.6, 0.6, 0.8]],
        )


class TestTests:
    @given(st.lists(st.floats(-1, 1), min_size=2, max_size=20), st.floats(0.01, 2))
    def test_without_correction_it_is_the_paired_t_test(self, differences, ratio):
        d = np.array(differences)[:, None]
        assume(np.ptp(d) >= 1e-6)
        mean, low, high, p = paired_t_test(d, 0.9)
        expected = stats.ttest_1samp(d[:, 0], 0)
        assert p[0] == pytest.approx(expected.pvalue)
        interval = expected.confidence_interval(0.9)
        np.testing.assert_allclose([low[0], high[0]], [interval.low, interval.high])
        # and the correction widens it as Nadeau and Bengio say
        _, wide, _, careful = paired_t_test(d, 0.9, ratio)
        n = len(d)
        np.testing.assert_allclose(
            (mean - wide) / (mean - low), np.sqrt((1 / n + ratio) / (1 / n))
        )
        assert careful[0] >= p[0]

    def test_a_figure_worked_by_hand(self):
        # d = 1, 2, 3 with a fifth held out: t = 2 / sqrt(1/3 + 1/4) on 2 degrees
        _, _, _, p = paired_t_test(np.array([[1.0], [2.0], [3.0]]), 0.95, 0.25)
        assert p[0] == pytest.approx(2 * stats.t.sf(2 / np.sqrt(7 / 12), 2))


class TestCompare:
    def test_differences_over_the_same_runs(self):
        one = curve_of([1, 2, 3], [[0.5, 0.7, 0.9], [0.4, 0.6, 0.8]])
        two = curve_of([1, 2, 3], [[0.4, 0.5, 0.6], [0.4, 0.5, 0.5]])
        result = one.compare(two, at=[1, 3])
        expected = [[0.1, 0.3, 0.2], [0.0, 0.3, 0.4 / 3]]  # last: the areas
        np.testing.assert_allclose(result.differences, expected)
        np.testing.assert_allclose(result.mean, [0.05, 0.3, 0.5 / 3])
        assert result.area_range.tolist() == [1, 3]
        alone = one.compare(two, at=3)
        np.testing.assert_allclose(alone.differences[:, 0], 0.3)
        back = two.compare(one, at=[1, 3])
        np.testing.assert_allclose(back.mean, -result.mean)
        np.testing.assert_allclose(back.low, -result.high)
        np.testing.assert_allclose(back.p_value, result.p_value)

    def test_the_correction_is_that_of_the_folds(self):
        one = curve_of([1], [[0.5], [0.7], [0.9]])
        two = curve_of([1], [[0.5], [0.5], [0.5]])
        result = one.compare(two, test="corrected_t")
        expected = paired_t_test(np.array([[0.0], [0.2], [0.4]]), 0.95, 100 / 400)
        assert result.p_value[-1] == pytest.approx(expected[3][0])

    def test_runs_are_paired_by_name(self):
        one = curve_of([1], [[0.1], [0.2], [0.3]], runs=["a", "b", "c"])
        two = curve_of([1], [[0.3], [0.25], [0.9]], runs=["c", "b", "x"])
        result = one.compare(two, test="corrected_t")
        assert result.n_runs == 2
        np.testing.assert_allclose(sorted(result.differences[:, -1]), [-0.05, 0.0])

    def test_real_curves_must_share_their_runs(self):
        learner, arguments = CBGZClassifier(), {"X": X, "y": y, "cv": 3}
        one, same, other = (
            label_curve(learner, **arguments, random_state=seed) for seed in (0, 0, 1)
        )
        result = one.compare(same, at=[5])
        assert (result.mean[-1], result.p_value[-1]) == (0.0, 1.0)
        with pytest.raises(ValueError, match="share 0 runs"):
            one.compare(other)

    def test_a_worse_learner_is_found_out(self):
        arguments = {"X": X, "y": y, "n_repeats": 2, "random_state": 0}
        good = label_curve(RandomSamplingClassifier(rate=1.0), **arguments)
        bad = label_curve(
            RandomSamplingClassifier(rate=1.0, budget=1), **arguments, at=[1, 96]
        )
        result = good.compare(bad, at=[50])
        assert result.low[0] > 0
        assert result.p_value[0] < 0.01
        assert "paired t-test" in str(result)
        assert "50 labels: +" in str(result)

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"test": "z"}, "test"),
            ({"confidence": 1.0}, "confidence"),
            ({"at": [1]}, "at 1 labels"),
            ({"at": [2.5]}, "label counts"),
            ({"start": 1}, "start"),
            ({"stop": 1}, "stop"),
        ],
        ids=str,
    )
    def test_bad_arguments(self, arguments, words):
        curve = curve_of([2, 3], [[0.5, 0.6], [0.5, 0.7]])
        with pytest.raises(ValueError, match=words):
            curve.compare(curve, **arguments)

    def test_a_run_without_labels(self):
        curve = curve_of([2], [[nan], [0.5]], [0, 2], [nan, 0.5])
        with pytest.raises(ValueError, match="no labels"):
            curve.area()
