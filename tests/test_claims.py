"""Each claim of a paper is held by results that agree with it, and not by others."""

import numpy as np
import pytest

from benchmarks.papers import claims
from benchmarks.papers._results import Results
from benchmarks.papers.claims import CLAIMS, Claim


def rows_of(columns, *lines):
    """Return rows of a file, from lines of cells."""
    return [dict(zip(columns.split(), line, strict=True)) for line in lines]


def ocr(**labels):
    published = {"DKMperc": 10, "CBGZperc": 20, "DKM²": 30, "CBGZ_DKM": 40}
    published |= {"randPerc": 60}
    return [
        {
            "problem": problem,
            "learner": name,
            "labels": labels.get(name, known),
            "labels_counting_failures": labels.get(name, known),
            "published": known,
            "published_std": 3,
        }
        for problem in ("0v1", "4v7", "6v9", "0vAll")
        for name, known in published.items()
    ]


def svm(**errors):
    known = {"Simple": 1, "random": 2, "DKMperc": 5, "CBGZperc": 6, "randPerc": 7}
    known |= errors
    known["SVM, Simple"], known["SVM, random"] = known["Simple"], known["random"]
    return rows_of(
        "problem labels learner error",
        *(("0v1", n, name, error) for n in (20, 50) for name, error in known.items()),
    )


def margin(data="covtype", failed=0, **labels):
    names = ("hinge", "ramp", "log", "root", "sigmoid", "greedy", "R+H", "S+H")
    return rows_of(
        "data learner labels published failed",
        *(
            (data, name, labels.get(name, 100 + k), 100 + k, failed)
            for k, name in enumerate(names)
        ),
    )


def failing(data, **failed):
    return [
        {**row, "failed": failed.get(row["learner"], 0)} for row in margin(data=data)
    ]


def warm(extra):
    warmed = {"ramp": 500, "sigmoid": 500, "R+H": 500 + extra, "S+H": 500 + extra}
    eights = {"ramp": 9000, "sigmoid": 9000, "R+H": 9000 - 20 * extra, "S+H": 9000}
    return [
        row
        for data, labels in (
            ("covtype", warmed),
            ("mnist-0v1", warmed),
            ("mnist-8vAll", eights),
        )
        for row in margin(data, **labels)
    ]


def offline(problem, gap):
    return rows_of(
        "problem learner labels gap gap_standard_error",
        *((problem, name, 120, gap, 1.0) for name in ("sigmoid", "smooth ramp")),
    )


def low_noise(extra):
    return rows_of(
        "alpha algorithm rows regret_exponent regret_theory labels_exponent "
        "labels_theory",
        (1, "all labels", 1e6, 9, 0, 9, 0),
        (1, "SS", 1e6, 0.5 + extra, 0.5, 0.6 + extra, 0.6),
    )


def second_order(**F):
    known = {"SSMD": 0.6, "SS": 0.5, "SSNL": 0.3, "SOLE": 0.58, "DKMperc": 0.4}
    known |= {"SOP": 0.59, "PERC": 0.4, **F}
    return rows_of(
        "algorithm topics labels F",
        *(
            (name, topics, labels, value if topics == "frequent" else 0)
            for topics in ("frequent", "all")
            for name, value in known.items()
            for labels in (0.01, 1.0)
        ),
    )


def topics(stored, labels, F):
    return rows_of(
        "positive svm_norm stored labels F",
        *zip((0.3, 0.2, 0.1), (3, 2, 1), stored, labels, F, strict=True),
    )


def boosting(data, kind, best):
    return rows_of(
        "data method kind mean_error difference difference_error",
        *(
            (data, name, kind, 0 if name == best else 1 + k, 1.0, 0.6)
            for k, name in enumerate(("FASSL", "QBB", "COMB", "RBoost"))
        ),
    )


def alphas(small, large):
    return rows_of(
        "kind alpha first_members mean_error",
        *(
            (kind, alpha, members, error if members == 1 else -error)
            for kind in ("transductive, own", "inductive")
            for members in (1, 20)
            for alpha, error in ((0.0, 3.0), (0.01, small), (0.1, large), (1.0, 9.0))
        ),
    )


def seconds(others):
    return rows_of(
        "method labels seconds",
        *(
            (name, labels, labels * factor)
            for labels, factors in ((20, (1, 5, 1)), (300, (1, others, others)))
            for name, factor in zip(("FASSL", "QBB", "COMB"), factors, strict=True)
        ),
    )


def propagation(kind, error):
    return rows_of(
        "data learner kind mean_error",
        ("a", "FASSL-Boost", kind, error),
        ("a", "ALP, RBF", kind, 2),
        ("a", "ALP, neighbours", kind, 3),
        ("a", "random, RBF", kind, 0),
    )


def alms(accuracy, log_loss, p=0.01):
    return rows_of(
        "problem penalty initial labels method accuracy accuracy_p log_loss log_loss_p "
        "published",
        ("a", "sum", 10, 99, "ALMS", 0.8, np.nan, 0.5, np.nan, 0.9),
        *(
            ("a", "sum", 10, 99, name, accuracy, p, log_loss, p, 0.5)
            for name in ("passive", "uncertainty", "QBC")
        ),
    )


#: How a claim begins, results that hold it, others that do not.
CASES = [
    ("The best active learner needs", ocr(**{"DKM²": 70}), ocr(randPerc=5)),
    ("The best learner: DKMperc", ocr(), ocr(CBGZperc=5)),
    ("DKM² needs fewer labels", ocr(), ocr(**{"DKM²": 50})),
    (
        "Figure 3: labels to the target",
        ocr(),
        ocr(DKMperc=0, CBGZperc=90, CBGZ_DKM=90, randPerc=90),
    ),
    ("SVMs with Simple", svm(), svm(Simple=5.5)),
    ("SVMs with random", svm(), svm(randPerc=1.5)),
    ("On each data set an active", margin(ramp=50), margin(hinge=50)),
    ("The best learner of each", margin(), margin(greedy=10)),
    (
        "Ramp and sigmoid fail",
        failing("mnist-8vAll", ramp=10, sigmoid=10),
        failing("mnist-8vAll", ramp=9),
    ),
    (
        "The log-ramp sometimes",
        failing("mnist-8vAll", log=1),
        failing("mnist-8vAll", log=2),
    ),
    ("A warm start helps", warm(100), None),
    (
        "On RCV1 only",
        failing("rcv1", hinge=10, log=10, root=10),
        failing("rcv1", hinge=9, log=1, root=1, ramp=1, sigmoid=1, greedy=1),
    ),
    (
        "The final errors of the ramp",
        rows_of("data final_error", *(("usps-0vAll", e) for e in (0.01, 0.02, 0.2))),
        rows_of("data final_error", *(("usps-0vAll", e) for e in (0.01, 0.02, 0.03))),
    ),
    (
        "Offline, the loss makes no",
        offline("MNIST 0v1", -1.9),
        offline("MNIST 0v1", -2.1),
    ),
    (
        "Offline, non-convex",
        offline("USPS 8vAll", 2.1),
        offline("USPS 8vAll", 1.9),
    ),
    ("Theorem 2: labels", low_noise(0.17), low_noise(0.19)),
    ("Theorem 2: regret", low_noise(0.0), low_noise(0.01)),
    ("SSMD is ahead", second_order(), second_order(PERC=0.7)),
    ("SSNL is the worst", second_order(), second_order(SSNL=0.55)),
    ("SSMD and SOLE reach", second_order(), second_order(SOP=0.62)),
    ("DKMperc is ineffective", second_order(), second_order(DKMperc=0.59)),
    (
        "SSMD stores more",
        topics((3, 2, 1), (1, 2, 3), (1, 1, 1)),
        topics((1, 2, 3), (1, 2, 3), (1, 1, 1)),
    ),
    (
        "Rare topics cost",
        topics((3, 2, 1), (1, 2, 3), (1, 1, 1)),
        topics((3, 2, 1), (3, 2, 1), (1, 1, 1)),
    ),
    (
        "F is about the same",
        topics((3, 2, 1), (1, 2, 3), (1, 0.9, 0.85)),
        topics((3, 2, 1), (1, 2, 3), (1, 0.9, 0.75)),
    ),
    ("From one member, small", alphas(3.5, 4.0), alphas(3.5, 3.4)),
    (
        "FASSL-Boost has the lowest transductive error (Figure 3), bought",
        boosting("german", "transductive", "FASSL"),
        boosting("german", "transductive", "COMB"),
    ),
    (
        "FASSL-Boost has the lowest transductive error (Figure 3), its own",
        boosting("german", "transductive, own", "FASSL"),
        boosting("german", "transductive, own", "QBB"),
    ),
    (
        "FASSL-Boost has the lowest inductive error (",
        boosting("german", "inductive", "FASSL"),
        boosting("german", "inductive", "QBB"),
    ),
    (
        "FASSL-Boost has the lowest transductive error on digits (Figure 6), bought",
        boosting("3v5", "transductive", "FASSL"),
        boosting("3v5", "transductive", "RBoost"),
    ),
    (
        "FASSL-Boost has the lowest transductive error on digits (Figure 6), its own",
        boosting("3v5", "transductive, own", "FASSL"),
        boosting("3v5", "transductive, own", "COMB"),
    ),
    (
        "FASSL-Boost has the lowest inductive error on digits",
        boosting("3v5", "inductive", "FASSL"),
        boosting("3v5", "inductive", "COMB"),
    ),
    ("FASSL-Boost takes much less", seconds(2.0), seconds(1.9)),
    (
        "FASSL-Boost beats random",
        boosting("german", "transductive", "COMB"),
        boosting("german", "transductive", "RBoost"),
    ),
    (
        "Boosting beats label propagation in",
        propagation("transductive", 1),
        propagation("transductive", 2.5),
    ),
    (
        "Boosting beats label propagation on",
        propagation("inductive", 1),
        propagation("inductive", 2.5),
    ),
    ("ALMS beats", alms(0.7, 0.4), alms(0.7, 0.6, p=0.06)),
    ("The same in log loss", alms(0.9, 0.6), alms(0.7, 0.4)),
]


def test_every_claim_has_a_case():
    texts = [claim.text for claim in CLAIMS]
    for start, *_ in CASES:
        assert len([text for text in texts if text.startswith(start)]) == 1, start
    assert len(CASES) == len(CLAIMS)


@pytest.mark.parametrize(
    ("start", "holds", "does_not"), CASES, ids=[case[0] for case in CASES]
)
def test_a_claim_follows_the_figures(start, holds, does_not, tmp_path):
    (claim,) = (claim for claim in CLAIMS if claim.text.startswith(start))
    for verdict, rows in (("held", holds), ("not", does_not)):
        if rows:
            folder = tmp_path / verdict
            key = [name for name in rows[0] if rows[0][name] == rows[0][name]]
            Results(folder, "ocr", [], 0).write(claim.table, rows, key=key, runs=10)
            assert claim.verdict(folder)[0] == verdict


def test_level_is_behind_nobody_by_two_standard_errors(tmp_path):
    level, behind = (
        boosting(name, "inductive", "QBB") for name in ("german", "splice")
    )
    behind[1]["difference_error"] = 0.4
    results = Results(tmp_path, "boosting", [], 0)
    key = ["data", "method"]
    results.write("boosting_means", [*level, *behind], key=key, runs=10)
    (claim,) = (claim for claim in CLAIMS if "error (Figure 4)" in claim.text)
    verdict, ours, *_ = claim.verdict(tmp_path)
    assert (verdict, ours) == ("not", "lowest on 0 of 2 data sets, level on 1 more")


def test_a_run_that_reproduces_nothing_decides_nothing(tmp_path):
    left_out = [
        {**row, "problem": name} for name in ("pima", "all") for row in alms(0.9, 0.4)
    ]
    rows = [*alms(0.7, 0.6), *left_out]
    key = ["problem", "method"]
    Results(tmp_path, "alms", [], 0).write("alms_table_1", rows, key=key, runs=10)
    (claim,) = (claim for claim in CLAIMS if claim.text.startswith("ALMS beats"))
    assert claim.verdict(tmp_path)[:2] == ("held", "3 of 3 comparisons")


def test_a_warm_start_that_helps_nowhere(tmp_path):
    (claim,) = (claim for claim in CLAIMS if claim.text.startswith("A warm start"))
    rows = warm(-100)
    key = ["data", "learner"]
    Results(tmp_path, "margin_loss", [], 0).write(claim.table, rows, key=key, runs=10)
    verdict, ours, published, experiment = claim.verdict(tmp_path)
    assert verdict == "not"  # only that the sigmoid does not gain on 8vAll
    assert ours == "saves -2000 and 0; 100 and 100; 100"
    assert published == "saves -5 and -3; -5 and -3; -5"
    assert experiment == "margin_loss"


@pytest.mark.parametrize(
    ("answers", "verdict"),
    [
        ([True] * 4, "held"),
        ([True, False, False, False], "partly"),
        ([True] + [False] * 4, "not"),
        ([False], "not"),
        ([], "untested"),
    ],
    ids=str,
)
def test_verdicts(answers, verdict, tmp_path):
    Results(tmp_path, "ocr", ["--repeats", "2"], 0).write(
        "t", [{"labels": 1}], key=[], runs=1
    )
    claim = Claim("p", "a claim", "t", lambda rows: (answers, "ours", "theirs"))
    found = claim.verdict(tmp_path)
    assert found[0] == verdict
    if answers:
        assert found[1:] == ("ours", "theirs", "ocr")


def test_without_results_nothing_is_said(tmp_path, capsys):
    claims.main([str(tmp_path), "--paper", "guillory2009"])
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == sum(claim.paper == "guillory2009" for claim in CLAIMS)
    assert all(line.startswith("untested ") for line in printed)


def test_a_folder_that_is_not_there(tmp_path, capsys):
    with pytest.raises(SystemExit):
        claims.main([str(tmp_path / "nowhere")])
    assert "there is no folder" in capsys.readouterr().err
