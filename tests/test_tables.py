"""Encoders of tables, texts and images: kinds of columns, numbers, new rows."""

import time

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_activelearn.preprocessing import ImageEncoder, TableEncoder

NAMES = ["red", "green", "blue", "red"]
NOTES = ["a good film", "", "not so good a film", "what a bad film"]


def treated_as(cells, **params):
    """Return the kind of a column, beside a column that is used, and the remark."""
    other = [f"{k % 2}" for k in range(len(cells) - 1)] + ["7"]
    encoder = TableEncoder(**params).fit({"x": cells, "other": other})
    (line,) = [line for line in encoder.treated_as_ if "x" in line.split(": ")[1]]
    kind, _, names = line.partition(": ")
    return kind, next(name for name in names.split(", ") if name.startswith("x"))[2:]


def days_of(cells, **params):
    """Return the differences of dates in days, of which the first two are known."""
    X = TableEncoder(**params).fit_transform({"x": cells})
    return (X[:, 0] - X[0, 0]) / (X[1, 0] - X[0, 0])


def dense(X):
    return X.toarray() if issparse(X) else X


class TestKinds:
    @pytest.mark.parametrize(
        ("cells", "kind"),
        [
            (["1", "2.5", "", "-3e2"], "number"),
            (["1", " 2.5 ", "n/a", "4"], "number"),
            (["1", "0", "1", "1"], "number"),
            (["1", "two", "", "1"], "category"),
            (["yes", "No", "?", "yes"], "category"),
            (["2024-02-01", "", "2023-12-31", "2024-01-01T08:30"], "date"),
            (["1/31/2024", "2/1/2024", "2/1/2024", "NA"], "date"),
            (["31/1/2024 10:00", "1/2/2024 11:30", "", ""], "date"),
            (["31.1.2024", "1.2.2024", "", "1.2.2024"], "date"),
            (["31.1.24", "1.2.24", "", "1.2.24"], "date"),
            (["2-13-2024", "2-1-2024", "2-2-2024", ""], "date"),
            (["2-13-24", "2-1-24", "2-2-24", ""], "category"),
            (["2024-02-01", "soon", "2023-12-31", "x"], "category"),
            (["2024-02-30", "2024-02-01", "", "x"], "category"),
            (NAMES, "category"),
            (NOTES, "text"),
            (["very good film"] * 3 + ["a bad film"], "category"),
            (["k", "k", "k", "k"], "left out"),
            (["", "NA", "?", ""], "left out"),
            (["7", "7", "7.0", "7"], "left out"),
            (["5", "6", "7", "8"], "left out"),
        ],
    )
    def test_follows_from_the_cells(self, cells, kind):
        assert treated_as(cells)[0] == kind

    def test_another_value_in_each_row(self):
        ids = [f"id-{k}" for k in range(40)]
        assert treated_as(ids) == ("left out", "(has another value in each row)")
        short = [f"item{i} blue" if i % 2 else f"red item{i} old" for i in range(60)]
        assert treated_as(short)[0] == "text"
        assert treated_as([*ids[:-1], ids[0]])[0] == "category"
        assert treated_as(ids[:20])[0] == "category"

    def test_given(self):
        cells = ["1", "2", "3", "4"]
        assert treated_as(cells, categorical=["x"])[0] == "category"
        assert treated_as(cells, drop=["x"]) == ("left out", "(by --drop)")
        assert treated_as(NAMES, text=["x"])[0] == "text"

    @pytest.mark.parametrize(
        ("params", "cells", "why"),
        [
            ({"text": ["w"]}, NAMES, "no column 'w'"),
            ({"text": ["x"]}, ["1", "2", "4", "8"], "no words in the column 'x'"),
            ({"text": ["x"], "drop": ["x"]}, NAMES, "cannot be both text and left out"),
            ({"drop": ["x", "other"]}, NAMES, r"learn from. x \(by --drop\)"),
            ({"dates": "first"}, NAMES, "dates"),
            ({}, ["1", "1e200", "", "3"], r"row 2, .*: '1e200' is not a number"),
            ({}, ["1", "3", "inf", ""], r"row 3, .*: 'inf' is not a number"),
        ],
    )
    def test_refused(self, params, cells, why):
        with pytest.raises(ValueError, match=why):
            treated_as(cells, **params)


class TestDates:
    def test_days(self):
        for last, day in (("1969-12-31T12:00", -0.5), ("1969-12-31T02:00+02:00", -1)):
            days = days_of(["1970-01-01", "1970-01-02", last])
            np.testing.assert_allclose(days, [0, 1, day], atol=1e-4)

    @pytest.mark.parametrize("form", ["{}/{}/2024", "{}-{}-2024", "{}/{}/24 10:00"])
    def test_the_whole_column_tells_the_order_of_day_and_month(self, form):
        first = [1, 2, 5, 1, 3]
        day_first = [form.format(k, 2) for k in first] + [form.format(13, 2)]
        assert treated_as(day_first) == ("date", "(day first)")
        np.testing.assert_allclose(days_of(day_first), [0, 1, 4, 0, 2, 12], atol=1e-4)
        month_first = [form.format(2, k) for k in first] + [form.format(2, 13)]
        assert treated_as(month_first) == ("date", "(month first)")
        np.testing.assert_array_equal(days_of(month_first), days_of(day_first))
        # the parameter does not overrule what the column tells
        assert treated_as(day_first, dates="month-first")[1] == "(day first)"

    def test_dates_that_can_be_read_in_two_ways(self):
        cells = ["1/2/2024", "3/2/2024", "5/2/2024", ""]
        why = r"such as 1/2/2024, can begin with the day or .*--dates day-"
        with pytest.raises(ValueError, match=why):
            treated_as(cells)
        by_day = days_of(cells, dates="day-first")
        np.testing.assert_allclose(by_day[:3], [0, 1, 2], atol=1e-4)
        by_month = days_of(cells, dates="month-first")
        np.testing.assert_allclose(by_month[:3], [0, 1, 1 + 61 / 60], atol=1e-4)
        assert treated_as(cells, drop=["x"])[0] == "left out"
        same = ["1/1/2024", "2/2/2024", "3/3/2024", ""]
        assert treated_as(same)[0] == "date"

    @pytest.mark.skipif(not hasattr(time, "tzset"), reason="no time zones to set")
    def test_the_time_zone_of_the_machine_does_not_matter(self, monkeypatch):
        cells = {"x": ["1970-01-02", "1970-06-01", "1971-01-01"]}
        here = TableEncoder().fit_transform(cells)
        monkeypatch.setenv("TZ", "America/New_York")
        time.tzset()
        try:
            there = TableEncoder().fit_transform(cells)
        finally:
            monkeypatch.undo()
            time.tzset()
        np.testing.assert_array_equal(here, there)

    @pytest.mark.parametrize("others", [{}, {"t": NOTES}])
    def test_dates_go_round(self, others):
        cells = ["2021-01-04", "2022-01-03", "2021-07-05", ""]  # three Mondays
        X = dense(TableEncoder().fit_transform({"a": cells, **others}))
        day, gap, *circles = X.T[:8]
        year, week, hour = np.array(circles).reshape(3, 2, 4)
        assert gap.argmax() == 3
        assert day[0] < day[2] < day[1]
        np.testing.assert_allclose(year[:, 0], year[:, 1], atol=0.03)
        assert np.abs(year[:, 0] - year[:, 2]).max() > 1.9
        np.testing.assert_allclose(week[:, 0], week[:, 2], atol=1e-6)
        np.testing.assert_allclose(hour[0], 0, atol=1e-6)
        np.testing.assert_array_equal(X[3, 2:8], 0)


class TestNumbers:
    def test_the_encoding_of_numbers_and_categories_is_that_of_scikit_learn(self):
        """Sessions compare rows with those that they began with."""
        rng = np.random.RandomState(0)
        n = rng.normal(size=80).round(3)
        cells = [f"c{k}" for k in rng.poisson(30, size=80)]
        days = [f"day {k + 1:02}" for k in range(20)] * 4
        columns = {"n": [*map(str, n)], "c": cells, "d": days}
        columns["n"][3], columns["d"][3] = "NA", ""
        n[3], days[3] = np.nan, ""
        number = make_pipeline(
            SimpleImputer(strategy="median", add_indicator=True), StandardScaler()
        )
        one_hot = OneHotEncoder(max_categories=30, sparse_output=False)
        expected = np.hstack(
            [
                number.fit_transform(n[:, None]),
                one_hot.fit_transform(np.array([cells, days], dtype=object).T),
            ]
        )
        X = TableEncoder().fit_transform(columns)
        np.testing.assert_array_equal(X, expected.round(6))


class TestNewRows:
    ROWS = {
        "n": ["1", "3", "", "2"],
        "day": ["1.2.2024", "", "28.2.2024", "3.3.2024"],
        "flag": ["yes", "no", "?", "yes"],
        "colour": ["red", "blue", "red", "red"],
        "one": ["k"] * 4,
    }

    def test_they_are_read_as_the_first_ones(self):
        encoder = TableEncoder().fit(self.ROWS)
        X = encoder.transform(self.ROWS)
        np.testing.assert_array_equal(X, TableEncoder().fit_transform(self.ROWS))
        assert encoder.feature_names_in_.tolist() == ["n", "day", "flag", "colour"]
        assert encoder.n_features_in_ == 4
        for k in range(4):
            alone = {name: cells[k : k + 1] for name, cells in self.ROWS.items()}
            np.testing.assert_array_equal(encoder.transform(alone), X[[k]])
        frame = pd.DataFrame(self.ROWS)
        frame["n"] = pd.to_numeric(frame["n"])
        frame["colour"] = frame["colour"].astype("category")
        np.testing.assert_array_equal(encoder.transform(frame[frame.columns[::-1]]), X)

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"n": ["1", "x", "", ""]}, "row 2, column 'n': 'x' is not a number"),
            ({"n": ["1", "1e200", "", ""]}, "row 2, .*: '1e200' is not a number"),
            (
                {"day": ["2024-02-01"] * 4},
                r"row 1, .*not a date of the form %d\.%m\.%Y",
            ),
            ({"n": ["1"]}, "different numbers of cells"),
            ({name: [] for name in ("n", "day", "flag", "colour", "one")}, "is no row"),
        ],
    )
    def test_refused(self, change, why):
        encoder = TableEncoder().fit(self.ROWS)
        with pytest.raises(ValueError, match=why):
            encoder.transform(self.ROWS | change)

    def test_a_missing_column(self):
        encoder = TableEncoder().fit(self.ROWS)
        rows = {("color" if n == "colour" else n): c for n, c in self.ROWS.items()}
        why = r"no column 'colour'\. Did you mean 'color'"
        with pytest.raises(ValueError, match=why):
            encoder.transform(rows)

    def test_rows_need_names_of_columns(self):
        with pytest.raises(TypeError, match="rows need columns with names"):
            TableEncoder().fit(np.eye(2))


class TestImages:
    @pytest.fixture
    def folder(self, tmp_path):
        Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        stripes = np.zeros((40, 40, 3), dtype=np.uint8)
        stripes[::8] = stripes[1::8] = stripes[2::8] = stripes[3::8] = 255
        images = {
            "across": stripes,
            "down": stripes.transpose(1, 0, 2),
            "red": np.full((40, 40, 3), (200, 90, 90), dtype=np.uint8),
            "green": np.full((40, 40, 3), (90, 150, 90), dtype=np.uint8),
        }
        for name, pixels in images.items():
            Image.fromarray(pixels).save(tmp_path / f"{name}.png")
        return tmp_path

    def test_colours_and_edges_tell_images_apart(self, folder):
        names = [f"{name}.png" for name in ("across", "down", "red", "green")]
        encoder = ImageEncoder("file", folder=folder)
        X = encoder.fit_transform({"file": names}) + encoder.scaler_.mean_
        assert X.shape == (4, 16 * 16 + 64 + 16 * 8)
        across, down, red, green = (np.split(row, [256, 320]) for row in X)
        np.testing.assert_allclose(across[1], down[1], atol=1e-5)
        np.testing.assert_allclose(np.linalg.norm(across[2]), 3, rtol=1e-3)
        assert across[2] @ down[2] < 0.1
        assert red[1] @ green[1] == pytest.approx(0, abs=1e-4)
        np.testing.assert_allclose(red[2], 0, atol=1e-5)

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("../secret.png", "outside the folder"),
            ("/etc/passwd", "outside the folder"),
            ("below/../../secret.png", "outside the folder"),
            ("link.png", "outside the folder"),
            ("gone.png", "no such file"),
            ("below", "must end in"),
            ("rows.csv", "must end in"),
            ("", "must end in"),
            ("a\0.png", "no.* path"),
            ("svg.png", "it is no image"),
        ],
    )
    def test_refused(self, folder, name, why):
        (folder / "below").mkdir()
        (folder / "rows.csv").write_text("")
        (folder / "svg.png").write_text("<svg>")
        outside = folder.parent / "secret.png"
        outside.write_bytes((folder / "red.png").read_bytes())
        (folder / "link.png").symlink_to(outside)
        encoder = ImageEncoder("file", folder=folder)
        with pytest.raises(ValueError, match=f"^row 2: .*{why}"):
            encoder.fit({"file": ["red.png", name]})
