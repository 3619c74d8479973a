"""Recall against rows read: the numbers, and the picture."""

import numpy as np
import pandas as pd
import pytest

from sklearn_activelearn.evaluation import RecallCurveDisplay, recall_curve

Y = np.array(["no", "yes", "no", "yes", "no", "no", "yes", "no", "no", "yes"])
ORDERS = [[0, 1, 3, 2, 6, 4, 9, 5, 7, 8], [9, 0, 6, 4]]


def test_rows_read_and_work_saved_counted_by_hand():
    curve = recall_curve(Y, ORDERS)
    assert curve.n_relevant == 4
    assert curve.n_rows == 10
    assert curve.read.tolist() == [[2, 3, 5, 7], [1, 3, np.inf, np.inf]]
    assert curve.n_read.tolist() == [10, 4]
    assert curve.rows_read(0.5).tolist() == [3, 3]
    assert curve.rows_read(0.51).tolist() == [5, np.inf]
    assert curve.rows_read(1.0).tolist() == [7, np.inf]
    np.testing.assert_allclose(curve.wss(0.5), [0.7 - 0.5, 0.7 - 0.5])
    np.testing.assert_allclose(curve.wss(1.0), [0.3, np.nan])
    np.testing.assert_allclose(
        curve.recall([0, 2, 3, 5, 10]),
        [[0, 0.25, 0.5, 0.75, 1], [0, 0.25, 0.5, 0.5, 0.5]],
    )
    assert curve.recall(3).tolist() == [0.5, 0.5]


def test_an_order_may_be_a_series():
    order = pd.Series(ORDERS[1], index=list("abcd"))
    assert recall_curve(Y, order).read.tolist() == [[1, 3, np.inf, np.inf]]


@pytest.mark.parametrize(
    ("recall", "needed"), [(0.95, 19), (0.951, 20), (0.05, 1), (1e-12, 1)]
)
def test_a_share_of_whole_rows(recall, needed):
    y = np.arange(40) < 20
    curve = recall_curve(y, np.arange(40))
    assert curve.rows_read(recall).tolist() == [needed]


def test_one_run_and_another_class():
    curve = recall_curve(Y, ORDERS[1], positive="no")
    assert curve.read.tolist() == [[2, 4] + 4 * [np.inf]]
    assert (curve.n_rows, curve.n_read.tolist()) == (len(Y), [4])


@pytest.mark.parametrize(
    ("y", "orders", "how", "words"),
    [
        (Y, [[0, 0]], {}, "more than once"),
        (Y, [10], {}, r"\[0, 10\)"),
        (Y, [0, 1], {"positive": "maybe"}, r"\['no', 'yes'\], got 'maybe'"),
        (Y[[0, 2]], [0], {}, "one class"),
    ],
)
def test_what_is_refused(y, orders, how, words):
    with pytest.raises(ValueError, match=words):
        recall_curve(y, orders, **how)


def test_a_recall_out_of_range():
    for recall in (0, 1.1, -1):
        with pytest.raises(ValueError, match="recall"):
            recall_curve(Y, ORDERS).wss(recall)


class TestDisplay:
    def test_lines_are_means_of_the_runs(self):
        curve = recall_curve(Y, ORDERS)
        display = RecallCurveDisplay({"mine": curve}).plot()
        mine, random = display.lines_
        assert mine.get_label() == "mine"
        np.testing.assert_allclose(mine.get_ydata(), curve.recall(range(5)).mean(0))
        assert random.get_xdata().tolist() == [0, 10]
        assert display.ax_.get_xlabel() == "rows read"

    def test_what_is_refused(self):
        one, other = recall_curve(Y, ORDERS), recall_curve(Y[:9], [0])
        with pytest.raises(ValueError, match="the same rows"):
            RecallCurveDisplay({"a": one, "b": other})
        with pytest.raises(ValueError, match="curves is empty"):
            RecallCurveDisplay({})
