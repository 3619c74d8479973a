"""Claims on optical characters and SVMs; see `claims`."""

from ._claims_common import count, fewer_labels, same_best, tables
from ._results import by

ACTIVE = ("DKM²", "DKMperc", "CBGZ_DKM", "CBGZperc")
ONLINE = ("DKMperc", "CBGZperc", "randPerc")


def dkm_beats_cbgz(rows):
    ours, published = (
        [
            of["DKM²"][figure] < of["CBGZ_DKM"][figure]
            for of in tables(rows, "problem").values()
            if {"DKM²", "CBGZ_DKM"} <= of.keys()
        ]
        for figure in ("labels", "published")
    )
    # one may be an exception
    return sorted(ours)[1:], count(ours, "problems"), count(published, "problems")


def within_a_deviation(rows):
    answers = [
        abs(row["labels"] - row["published"]) <= row["published_std"] for row in rows
    ]
    return answers, count(answers, "cells")


def svm_beats_online(rows, svm):
    answers = [
        of[svm]["error"] < min(of[name]["error"] for name in ONLINE)
        for group in by(rows, "problem").values()
        for of in tables(group, "labels").values()
        if {svm, *ONLINE} <= of.keys()
    ]
    return answers, count(answers, "cells")


CLAIMS = [
    (
        "The best active learner needs 1.25 to 6 times fewer labels than the "
        "Perceptron with random ones",
        "ocr",
        lambda rows: fewer_labels(
            rows,
            "labels_counting_failures",
            group="problem",
            baseline="randPerc",
            names=ACTIVE,
        ),
    ),
    (
        "The best learner: DKMperc on separable problems, CBGZperc on the others",
        "ocr",
        lambda rows: same_best(rows, "problem", ACTIVE),
    ),
    (
        "DKM² needs fewer labels than CBGZ_DKM on all problems but one",
        "ocr",
        dkm_beats_cbgz,
    ),
    (
        "Figure 3: labels to the target within the published mean ± deviation",
        "ocr",
        within_a_deviation,
    ),
    (
        "SVMs with Simple outperform the online algorithms",
        "simple_svm",
        lambda rows: svm_beats_online(rows, "SVM, Simple"),
    ),
    (
        "SVMs with random labels outperform the online algorithms",
        "simple_svm",
        lambda rows: svm_beats_online(rows, "SVM, random"),
    ),
]
