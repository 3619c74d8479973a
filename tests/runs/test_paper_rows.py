"""Rows that experiments on published results write, from small results."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from benchmarks.papers import boosting, label_propagation
from benchmarks.papers._alms_rows import (
    FIGURE_SETTING,
    POOLED,
    heights_of,
    in_words,
    of_single,
    pooled,
    rank,
    summary,
)
from benchmarks.papers.figures import of_primary_setting


def test_points_of_curves_have_means_and_deviations_in_percent():
    curves = np.reshape([0.1, 0.2, 0.3, 0.4, 0.2, 0.4], (3, 2, 1))  # kinds, splits
    rows = list(boosting.points("a", {"QBB": curves}, [0.5]))
    assert [row["kind"] for row in rows] == list(boosting.KINDS)
    assert [row["error"] for row in rows] == pytest.approx([15, 35, 30])
    assert [row["std"] for row in rows] == pytest.approx(np.sqrt([50, 50, 200]))
    assert {(row["method"], row["labels"]) for row in rows} == {("QBB", 0.5)}


def trials(*heights):
    """Return trials with level curves at these accuracies."""
    return [{"scores": [[[h, 1 - h]] * 2], "seconds": 1.0} for h in heights]


def test_problems_together_are_paired_trial_by_trial():
    counts, parts = [10, 20], []
    for passive, other in (((0.5, 0.6), (0.6, 0.7)), ((0.7, 0.8), (0.7, 0.8))):
        results = {"passive": trials(*passive), "QBC": trials(*other)}
        parts.append((results, heights_of(results, counts)))
    passive, other = summary(POOLED, "mean", *pooled(parts), counts)
    assert (passive["accuracy"], other["accuracy"]) == pytest.approx((0.65, 0.7))
    assert other["accuracy_gain"] == pytest.approx(0.05)
    error = np.std([0.1, 0.1, 0, 0], ddof=1) / 2
    assert other["accuracy_gain_error"] == pytest.approx(error)
    assert other["published"] is None


def test_the_primary_setting_comes_first():
    settings = [("mean", 10, 100), ("sum", 4, 100), ("sum", 10, 50), ("sum", 10, 100)]
    assert sorted(settings, key=rank) == settings[::-1]
    assert in_words(settings[1]) == "beside the sum, 4 to 100 labels"
    assert in_words(settings[1][:2]) == "beside the sum, 4 first labels"


def test_the_primary_setting_is_drawn():
    settings = [("mean", 10, 99), ("sum", 4, 99), ("sum", 10, 50), ("sum", 10, 99)]
    rows = [
        {"problem": problem, **dict(zip(FIGURE_SETTING, setting, strict=True))}
        for problem in ("heart", "votes")
        for setting in settings
    ]
    drawn = of_primary_setting(rows)
    assert drawn == {"heart": [rows[3]], "votes": [rows[7]]}


def test_each_model_alone_and_how_often_its_loss_is_least():
    def trial(*losses):
        return {"scores": [[[0.9, loss], [0.7, loss + 0.2]] for loss in losses]}

    results = {
        "ALMS": [trial(0)] * 4,
        "oracle": [trial(0.1, 0.3)] * 3 + [trial(0.5, 0.1)],
    }
    rows = [
        {"problem": "a", "penalty": "sum", "initial": 10, "labels": 20, "method": name}
        for name in results
    ]
    first, second = of_single(rows, results, [10, 20])
    assert (first["model"], second["model"]) == (0, 1)
    assert (first["accuracy"], first["log_loss"]) == pytest.approx((0.8, 0.3))
    assert second["log_loss"] == pytest.approx(0.35)
    assert (first["least"], second["least"]) == (0.75, 0.25)


def test_cosines_of_the_graph_are_those_of_the_paper_on_texts():
    X = np.random.RandomState(0).randn(6, 3)
    learner, rows = label_propagation.LEARNERS["ALP, cosine"](X)
    weights = np.exp(-learner.gamma * euclidean_distances(rows, squared=True))
    assert weights == pytest.approx(np.exp(-(1 - cosine_similarity(X)) / 0.03))
