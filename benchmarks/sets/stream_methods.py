"""The stream learners with the knobs that are turned, and those of the peers.

A learner is one row. Settings of ours and of the peers are compared by the same rule,
so the grids are about equally long where the peer is fast.
"""

from functools import partial

from benchmarks._peers import installed
from benchmarks.sets._stream_method import method
from sklearn_activelearn import (
    CBGZClassifier,
    DKMClassifier,
    GreedyOnlineClassifier,
    MarginLossClassifier,
    RandomSamplingClassifier,
    RLSSamplingClassifier,
    SecondOrderPerceptronClassifier,
    SOLEClassifier,
)

STEPS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
#: Rows that second-order learners store where the rows are sparse.
STORED = {"max_stored": 1_500}


def margin_loss(loss):
    """Return the row of a margin loss."""
    return method(partial(MarginLossClassifier, loss), {"eta0": 0.1}, eta0=STEPS)


def adaptive(make, **params):
    """Return the row of a learner whose steps need no tuning."""
    make = partial(make, learning_rate="adaptive")
    return method(make, {name: values[0] for name, values in params.items()}, **params)


METHODS = {
    "CBGZ": method(
        CBGZClassifier, {"b": 0.1}, b=[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
    ),
    "DKM": method(DKMClassifier, {"R": 32}, R=[4, 8, 16, 32, 64, 128, 256]),
    "log-ramp": margin_loss("log_ramp"),
    "root-ramp": margin_loss("root_ramp"),
    "ramp": margin_loss("ramp"),
    "greedy": method(
        GreedyOnlineClassifier,
        {"m": 5, "eta0": 0.1},
        m=[5, 10, 20, 50],
        eta0=[0.01, 0.1, 1.0, 10.0],
    ),
    "log-ramp, adaptive": adaptive(MarginLossClassifier, loss=["log_ramp"]),
    "root-ramp, adaptive": adaptive(MarginLossClassifier, loss=["root_ramp"]),
    "greedy, adaptive": adaptive(GreedyOnlineClassifier, m=[5, 10, 20, 50]),
    "RLS": method(
        RLSSamplingClassifier,
        {"lam": 30.0},
        lam=[30.0, 100.0, 300.0, 1000.0, 3000.0],
        sparse=STORED,
    ),
    "SOLE": method(
        SOLEClassifier, {"b": 0.03}, b=[0.003, 0.01, 0.03, 0.1, 0.3], sparse=STORED
    ),
    "random": method(
        RandomSamplingClassifier, {"rate": 0.3}, rate=[0.03, 0.1, 0.3, 1.0]
    ),
    "all labels, hinge": margin_loss("hinge"),
    "all labels, second order": method(
        SecondOrderPerceptronClassifier, {"a": 1.0}, a=[0.1, 1.0, 10.0], sparse=STORED
    ),
}
#: Who buys every label, the first the one whose error the targets are multiples of.
PASSIVE = ["all labels, hinge", "all labels, second order"]


def all_methods():
    """Return the methods by name, with those of the peers that are installed."""
    methods = dict(METHODS)
    for peer in installed():
        methods |= getattr(peer, "METHODS", {})
    return methods
