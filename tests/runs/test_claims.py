"""Verdicts on the papers' claims: one rule, and pages that say what the files say."""

import csv
import json
import re
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
import pytest

from benchmarks.papers import bounds, claims
from benchmarks.papers._claim_columns import DERIVED, at_shares
from benchmarks.papers.claims import Claim, word_of
from benchmarks.results import Results, by, read, read_texts
from benchmarks.statistics import Estimate, plus_minus

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [DOCS / "reproduced.rst", *sorted((DOCS / "reproduced").glob("*.rst"))]
TABLE = read_texts(claims.HERE / "claims.csv")
EVEN = np.array([-1.0, 1.0] * 10)  # mean 0, standard error .229


@pytest.fixture
def judge(tmp_path):
    """Return a function that draws the verdict on learners' runs in some cases."""

    def verdict(cases, of="all", predicate="ahead of", printed=None, **settings):
        rows = [
            {"data": data, "learner": name, "run": run, "error": value}
            for data, learners in cases.items()
            for name, values in learners.items()
            for run, value in enumerate(values)
        ]
        results = Results(tmp_path, "ocr", [], 0)
        results.write("errors", rows, key=["data", "learner"], runs=1)
        if printed:
            results.write("printed", printed, key=["data", "learner"], runs=1)
        row = dict.fromkeys(claims.SHOWN, "") | {"of": of, "value": "error"}
        row |= {"file": "errors", "cases": "data", "predicate": predicate}
        claim = Claim({**row, "settings": ""}, tmp_path)
        claim.settings = {"by": "learner", **settings}
        claims.table.cache_clear()
        return claim.verdict()

    return verdict


def counted(agrees, doubts, contradicts):
    n = agrees + doubts + contradicts
    return f"agrees {agrees}, cannot be told {doubts}, contradicts {contradicts} of {n}"


class TestEstimate:
    def test_a_mean_has_the_classical_error_and_counts_runs_that_reached(self):
        values = np.array([3.0, 5.0, 10.0, np.nan])
        found = Estimate.of_runs(values[:3])
        assert found.error == pytest.approx(np.std(values[:3], ddof=1) / np.sqrt(3))
        found = Estimate.of_runs(values)
        assert (found.value, found.n_runs) == (6, 3)
        assert np.isnan(Estimate.of_runs([1.0]).error)
        assert np.isnan(Estimate.of_runs([np.nan, np.nan]).value)

    def test_common_runs_are_paired(self):
        noise = np.random.default_rng(0).normal(size=30)
        one, other = Estimate.of_runs(noise + 0.1 * EVEN[:1]), Estimate.of_runs(noise)
        assert one.minus(other).error == pytest.approx(0, abs=1e-12)
        fewer = Estimate.of_runs(noise[:20])
        expected = np.hypot(one.error, fewer.error)
        assert one.minus(fewer).error == pytest.approx(expected)

    def test_a_ratio_has_the_error_of_its_slopes(self):
        rng = np.random.default_rng(1)
        a, b = rng.normal(10, 1, 400), rng.normal(20, 1, 400)
        ratio = Estimate.of_runs(b).over(Estimate.of_runs(a))
        assert ratio.value == pytest.approx(b.mean() / a.mean())
        drawn = rng.integers(400, size=(2000, 400))
        bootstrap = np.std(b[drawn].mean(axis=1) / a[drawn].mean(axis=1))
        assert ratio.error == pytest.approx(bootstrap, rel=0.1)

    def test_figures_have_two_digits_of_their_error(self):
        assert plus_minus(527.4, 210.3) == "527 ± 210"
        assert plus_minus(-0.10234, 0.0832) == "-0.102 ± 0.083"
        assert plus_minus(1.5, 0.0) == "1.5"
        assert plus_minus(1.5, np.nan) == "1.5 ± ?"
        assert plus_minus(np.nan, 0.01) == "?"


class TestRule:
    @pytest.mark.parametrize(
        ("gap", "counts"),
        [(0.5, (1, 0, 0)), (0.4, (0, 1, 0)), (-0.4, (0, 1, 0)), (-0.5, (0, 0, 1))],
    )
    def test_two_standard_errors(self, judge, gap, counts):
        found = judge({"a": {"x": EVEN, "y": np.full(20, gap)}}, who=["x"], others="y")
        assert found["verdict"].endswith(counted(*counts))
        assert found["runs"] == "20"

    @pytest.mark.parametrize(
        ("of", "counts", "refuted", "word"),
        [
            ("all", (5, 2, 0), False, "held"),
            ("all", (2, 2, 0), False, "cannot be told"),
            ("all", (6, 0, 1), True, "partly held"),
            ("all", (0, 3, 2), False, "cannot be told"),
            ("all", (0, 3, 2), True, "not held"),
            ("all", (0, 1, 2), False, "not held"),
            ("most", (4, 3, 0), False, "held"),
            ("most", (3, 3, 1), False, "cannot be told"),
            ("most", (0, 3, 4), True, "not held"),
            ("all but one", (5, 1, 0), False, "held"),
            ("all but one", (4, 1, 1), False, "cannot be told"),
            ("all but one", (4, 0, 2), True, "not held"),
            ("some", (1, 0, 9), True, "held"),
            ("some", (0, 1, 9), True, "cannot be told"),
            ("2", (2, 0, 3), True, "held"),
            ("2", (1, 0, 4), True, "not held"),
        ],
    )
    def test_words(self, of, counts, refuted, word):
        assert word_of(of, *counts, refuted) == word

    def test_one_of_many_is_not_enough_for_some(self, judge):
        level = {"x": EVEN, "y": EVEN[::-1]}
        many = {f"set {k}": level for k in range(20)}
        many["one"] = {"x": EVEN, "y": np.full(20, 0.5)}
        found = judge(many, "some", who=["x"], others="y")
        assert found["verdict"] == f"cannot be told: {counted(1, 20, 0)}"
        assert found["after_holm"] == counted(0, 21, 0)
        many["one"]["y"] = np.full(20, 2.0)
        found = judge(many, "some", who=["x"], others="y")
        assert found["verdict"].startswith("held")

    def test_the_least_favourable_of_others_counts(self, judge):
        learners = {"x": EVEN, "y": EVEN + 1, "z": EVEN - 1}
        found = judge({"a": learners}, who=["x"], others=["y", "z"])
        assert found["verdict"] == f"not held: {counted(0, 0, 1)}"
        assert found["figures"] == "-1"
        missing = {"x": EVEN, "y": EVEN + 1, "z": np.full(20, np.inf)}
        for others in (["y", "z"], ["z", "y"]):
            found = judge({"a": missing}, who=["x"], others=others)
            assert found["verdict"].endswith(counted(0, 1, 0))

    def test_two_cases_may_count_as_one(self, judge):
        good, bad = {"x": EVEN, "y": EVEN + 1}, {"x": EVEN, "y": EVEN - 1}
        together = {"a": "both", "b": "both"}
        found = judge({"a": good, "b": bad}, who=["x"], others="y", together=together)
        assert found["verdict"].endswith(counted(0, 0, 1))

    def test_one_run_tells_nothing(self, judge):
        found = judge({"a": {"x": [0.0], "y": [1.0]}}, who=["x"], others="y")
        assert found["figures"] == "1 ± ?"
        assert found["verdict"] == f"cannot be told: {counted(0, 1, 0)}"

    def test_who_does_what_another_does_is_no_case(self, judge):
        learners = {"x": EVEN, "y": EVEN + 1, "random": EVEN}
        same = {"none if as": "random"}
        found = judge({"a": learners}, who=["x"], others="y", **same)
        assert found["verdict"].endswith(counted(0, 1, 0))
        found = judge(
            {"a": {**learners, "random": EVEN + 2}}, who=["x"], others="y", **same
        )
        assert found["verdict"].endswith(counted(1, 0, 0))


class TestPredicates:
    def test_ahead_by_a_ratio(self, judge):
        learners = {"x": EVEN + 10, "y": EVEN + 30}
        for ratio, counts in ((2, (1, 0, 0)), (3, (0, 1, 0)), (4, (0, 0, 1))):
            found = judge({"a": learners}, who=["x"], others="y", ratio=ratio)
            assert found["verdict"].endswith(counted(*counts))

    def test_the_best_is_the_best_here_or_the_published_one(self, judge):
        learners = {"x": EVEN, "y": EVEN + 1, "z": EVEN + 2}
        found = judge({"a": learners}, best=["y", "z"], others=["x"])
        assert found["verdict"].endswith(counted(0, 0, 1))
        for best, counts in (("x", (1, 0, 0)), ("y", (0, 0, 1))):
            printed = [
                {"data": "a", "learner": name, "published": float(name != best)}
                for name in learners
            ]
            found = judge(
                {"a": learners}, printed=printed, published="printed", best=[*learners]
            )
            assert found["verdict"].endswith(counted(*counts))

    def test_near_the_published_mean(self, judge):
        printed = {"data": "a", "learner": "x", "published": 1.0}
        for std, counts in ((1.5, (1, 0, 0)), (1.2, (0, 1, 0)), (0.5, (0, 0, 1))):
            found = judge(
                {"a": {"x": EVEN}}, predicate="level with", published="printed",
                printed=[{**printed, "published_std": std}],
            )  # fmt: skip
            assert found["verdict"].endswith(counted(*counts))
            assert found["figures"] == "-1.00 ± 0.23"

    def test_level_needs_a_margin_beyond_noise(self, judge):
        learners = {"x": EVEN, "y": np.zeros(20)}
        for margin, counts in ((0.5, (1, 0, 0)), (0.4, (0, 1, 0))):
            found = judge(
                {"a": learners}, predicate="level with", who=["x"], others="y",
                margin=margin,
            )  # fmt: skip
            assert found["verdict"].endswith(counted(*counts))

    def test_at_most_and_at_least(self, judge):
        for predicate, counts in (("at most", (1, 0, 0)), ("at least", (0, 0, 1))):
            found = judge({"a": {"x": EVEN}}, predicate=predicate, bound=0.5)
            assert found["verdict"].endswith(counted(*counts))

    def test_some_runs_and_not_all(self, judge):
        for n, counts in ((0, (0, 0, 1)), (1, (1, 0, 0)), (20, (0, 0, 1))):
            values = np.where(np.arange(20) < n, 5.0, 0.0)
            over = {"share over": 5}
            found = judge({"a": {"x": values}}, predicate="in some runs", **over)
            assert found["verdict"].endswith(counted(*counts))


def test_labels_of_a_failed_run():
    failed = {"problem": "0v1", "labels": np.inf}
    assert DERIVED["counting failures"](failed) == 9000
    assert DERIVED["counting failures"]({**failed, "labels": 7}) == 7


def test_an_order_alone_has_the_deviation_of_the_others():
    rows = [
        {"algorithm": name, "labels": labels, "F": F, "F_std": std, "runs": runs}
        for name, std, runs in (("a", 0.03, 3), ("b", 0.02, 3), ("c", np.nan, 1))
        for labels, F in ((0.01, 0.2), (0.08 if name == "c" else 0.2, 0.4))
    ]
    found = {(row["algorithm"], row["share"]): row for row in at_shares(rows)}
    assert found["a", 0.05]["error"] == pytest.approx(0.03 / np.sqrt(3))
    assert found["c", 0.05]["error"] == pytest.approx(0.03)
    assert np.isnan(found["c", 0.1]["F"])
    assert found["c", "most labels"]["F"] == 0.4


class TestTable:
    def test_each_claim_says_where_it_stands(self):
        assert all(row["sentence"] and row["where"] for row in TABLE)
        names = [row["name"] for row in TABLE]
        assert len(set(names)) == len(names)
        assert all(row["predicate"] in claims.PREDICATES for row in TABLE)

    def test_a_figure_beside_several_rivals_says_that_the_closest_decides(self):
        for row in TABLE:
            settings = json.loads(row["settings"] or "{}")
            rivals = [settings.get("others") or settings.get("best") or []]
            rivals += [others for _, others in settings.get("pairs", [])]
            is_closest = max(map(len, rivals)) > 1 and "each" not in settings
            if row["predicate"] == "ahead of":
                assert ("closest" in settings["what"]) == is_closest, row["name"]

    def test_the_sphere_is_measured_with_each_learner_in_each_dimension(self):
        rows = read(DOCS / "results", "bounds_sphere")
        found = {(row["d"], row["sampler"], row["error"]) for row in rows}
        grid = product(bounds.DIMENSIONS, bounds.SAMPLERS, bounds.ERRORS)
        assert found == set(grid)

    def test_a_reading_follows_its_claim(self):
        for rows in by(TABLE, "claim").values():
            assert [bool(row["reading"]) for row in rows] == [False] + [True] * (
                len(rows) - 1
            )


@pytest.fixture(scope="module")
def drawn():
    started = process_time()
    claims.table.cache_clear()
    found = claims.draw_verdicts(DOCS / "results")
    assert process_time() - started < 20
    return found


class TestPages:
    def test_the_committed_verdicts_are_drawn_from_the_committed_files(self, drawn):
        verdicts, texts = drawn
        with (DOCS / "results" / "claims.csv").open(encoding="utf-8") as stream:
            assert [*csv.DictReader(stream)] == verdicts
        text = (DOCS / "results" / "figures.inc").read_text(encoding="utf-8")
        known = dict(re.findall(r"^\.\. \|(.+?)\| replace:: (.+)$", text, re.MULTILINE))
        assert known == texts

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
    def test_what_a_page_names_is_drawn(self, page, drawn):
        text = page.read_text(encoding="utf-8").replace(r"\|", "")
        assert text.count("results/figures.inc") == 1
        named = {" ".join(name.split()) for name in re.findall(r"\|([^|`]+)\|", text)}
        assert named - {"p", "w"} <= drawn[1].keys()

    @pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
    def test_no_verdict_and_no_measured_figure_is_typed(self, page):
        text = page.read_text(encoding="utf-8")
        assert TYPED_VERDICT.findall(" ".join(text.split())) == []
        prose = re.sub(
            r"^\s+(python|--).*$|(section|§)\s*[\d.]+|:alt:.*|``.*?``|\|.*?\|",
            "",
            text,
            flags=re.M,
        )
        typed = re.findall(
            r"\d[\d,]* ± [\d.]+|(?<![\d.:])\d+\.\d+|\d+ %|(?<!\d)\.\d+", prose
        )
        assert sorted(set(typed) - SETTINGS[page.stem]) == []


def test_the_page_explains_each_cell_outside_the_published_interval():
    page = (DOCS / "reproduced" / "monteleoni2007.rst").read_text(encoding="utf-8")
    bullets = re.findall(r"^- \*\*(\S+) on (.+?)\*\*", page, flags=re.M)
    explained = {(who, on) for who, sets in bullets for on in sets.split(" and ")}
    assert explained == {
        (row["learner"], row["problem"])
        for row in read(DOCS / "results", "ocr")
        if abs(row["labels"] - row["published"]) > row["published_std"]
    }


#: Verdicts in words: they stay as they are when the figures change.
TYPED_VERDICT = re.compile(
    r"(?:held|contradicts|agrees) \d|\*\*(?:not |partly )?held"
    r"|\b(?:as|unlike|not as) in the paper|\bin the paper,? (?:too|none|also)"
    r"|\bThe exception is|\bby chance\b|\bwithin noise\b|\bSo it is here"
    r"|\bthe bounds? holds?\b|\bthe order is the same|\bat every share"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten) (?:points|times|per cent)\b",
    re.IGNORECASE,
)


#: Settings of the experiments, published figures, margins, and facts about the data.
SETTINGS = {
    "ali2014": set(),
    "cavallanti2008": {".5", ".73", "10 %"},
    "guillory2009": {".5"},
    "monteleoni2007": {".001", ".3"},
    "wang2009": {".01", ".03", ".1", "10 %", "35 %", "5 %", "80 %"},
}
