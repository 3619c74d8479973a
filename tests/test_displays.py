"""What the displays draw; the pictures themselves are for human eyes."""

import matplotlib as mpl
import numpy as np
import pytest

from sklearn_activelearn import CBGZClassifier, RandomSamplingClassifier
from sklearn_activelearn.evaluation import LabelCurve, LabelCurveDisplay, label_curve

mpl.use("Agg")
from matplotlib import pyplot as plt

from tests.tools import hide_package, problem

X, y = problem(150, 2, noise=0.3)
EVERYTHING = RandomSamplingClassifier(rate=1.0)
FAST = {"cv": 3, "at": [1, 2, 5, 10, 20, 50, 100], "random_state": 0}


pytestmark = pytest.mark.usefixtures("no_figures_left")


@pytest.fixture(scope="module")
def curves():
    return [
        label_curve(learner, X, y, **FAST)
        for learner in (CBGZClassifier(budget=30), EVERYTHING)
    ]


def drawn(display):
    """Render a display, which finds what the axes only find then."""
    display.figure_.canvas.draw()
    return display


class TestLabelCurve:
    def test_lines_are_the_curves(self, curves):
        active, passive = curves
        display = drawn(
            LabelCurveDisplay({"CBGZ": active}, passive=passive, target=0.1).plot()
        )
        first, last = display.lines_
        end = active.n_bought.mean()
        kept = active.n_labels < end
        assert first.get_xdata().tolist() == [*active.n_labels[kept], end]
        np.testing.assert_allclose(first.get_ydata()[:-1], 1 - active.mean[kept])
        assert first.get_ydata()[-1] == pytest.approx(1 - active.final_scores.mean())
        assert last.get_xdata()[-1] == 100
        assert (last.get_linestyle(), last.get_label()) == ("--", "passive learning")
        texts = [text.get_text() for text in display.ax_.texts]
        assert texts == ["target 10 % error"]
        ends = display.ax_.collections[0].get_paths()[0].vertices
        errors = 1 - active.final_scores
        for share in (0.1, 0.9):  # the middle 80 % of the runs
            assert [end, np.quantile(errors, share)] in ends.tolist()

    def test_axes_of_ones_own_and_no_window(self, curves):
        figure, ax = plt.subplots()
        display = LabelCurveDisplay(curves[0]).plot(ax)
        assert (display.ax_, display.figure_) == (ax, figure)
        assert plt.get_fignums() == [figure.number]

    @pytest.mark.parametrize("score", [1.0, 0.0])
    def test_learners_without_a_point_or_without_an_error(self, score):
        two = np.array([2, 2])
        curve = LabelCurve(
            np.array([2, 3]), np.full((2, 2), score), two, np.full(2, score), two * 9,
            two, two.astype(str),
        )  # fmt: skip
        drawn(LabelCurveDisplay(curve, target=0.0).plot())

    @pytest.mark.parametrize(("least", "scale"), [(0.03, "linear"), (0.01, "log")])
    def test_errors_within_a_decade_have_a_linear_axis(self, least, scale):
        counts, ten = np.array([10, 100]), np.array([100, 100])
        errors = np.array([[0.2, least]] * 2)
        curve = LabelCurve(
            counts, 1 - errors, ten, 1 - errors[:, -1], ten * 9, ten, ten.astype(str)
        )
        display = drawn(LabelCurveDisplay(curve).plot())
        assert display.ax_.get_yscale() == scale
        labels = [label.get_text() for label in display.ax_.get_yticklabels()]
        assert "5 %" in labels
        assert all(label.endswith(" %") for label in labels if label)

    def test_other_curves_are_thin_and_have_no_band(self, curves):
        active, passive = curves
        display = drawn(LabelCurveDisplay(active, others={"rest": passive}).plot())
        first, last = display.lines_
        assert (last.get_label(), last.get_linewidth()) == ("rest", 0.8)
        assert first.get_linewidth() > 1
        assert len(display.ax_.collections) == 1

    def test_refused(self, curves):
        with pytest.raises(ValueError, match="target"):
            LabelCurveDisplay(curves[0], target=2)


def test_without_matplotlib(curves, monkeypatch):
    hide_package(monkeypatch, "matplotlib")
    with pytest.raises(ImportError, match="pip install matplotlib"):
        LabelCurveDisplay(curves[0]).plot()
