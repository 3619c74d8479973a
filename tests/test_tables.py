"""Encoders of tables, texts and images: kinds of columns, numbers, new rows."""

import re
import time

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_activelearn.preprocessing import (
    ImageEncoder,
    TableEncoder,
    TextEncoder,
    VectorEncoder,
)

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
            (["5", "6", "9", "11"], "number"),
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
        rows = {"source file": ["a", "b"], "n": [1, 2]}
        encoder = TableEncoder(drop=["source file"]).fit(rows)
        assert "left out: source file (names the file)" in encoder.treated_as_

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


COMMA, COMMAS = "decimal comma", "commas between thousands"
POINTS, SPACES = "points between thousands", "spaces between thousands"
#: Cells, the numbers of those that are no gaps, and how they are written.
NUMBERS = {
    "gaps": (["1", "-", "n.a.", ".", "#N/A", "–", "N/A", "3"], [1, 3], []),
    "decimal comma": (["1,5", "2", "-3,25", ""], [1.5, 2, -3.25], [COMMA]),
    "a comma before decimals": ([",5", "1", "2,"], [0.5, 1, 2], [COMMA]),
    "a leading zero": (["0,123", "0,5", "3"], [0.123, 0.5, 3], [COMMA]),
    "thousands": (["1,234", "12", "999,000"], [1234, 12, 999000], [COMMAS]),
    "millions": (["1,234,567", "1500"], [1234567, 1500], [COMMAS]),
    "both": (["1,234.5", "-12"], [1234.5, -12], [COMMAS]),
    "German": (["1.234,5", "12", "3"], [1234.5, 12, 3], [COMMA, POINTS]),
    "German millions": (["1.234.567", "5"], [1234567, 5], [COMMA, POINTS]),
    "points": (["1.234", "12.500", "9"], [1.234, 12.5, 9], []),
    "French": (["1 234,5", "1\u202f234", "9\xa0500"], [1234.5, 1234, 9500],
               [COMMA, SPACES]),
    "Swiss": (["1'234.50", "2’000", "7"], [1234.5, 2000, 7],
              ["apostrophes between thousands"]),
    "per cent": (["12 %", "7%", "3,5 %"], [12, 7, 3.5], [COMMA, "in %"]),
    "dollars": (["$1,200", "-$15", "$3.50"], [1200, -15, 3.5], [COMMAS, "in $"]),
    "euros": (["1.200,00 €", "3 €", "-7 €"], [1200, 3, -7], [COMMA, POINTS, "in €"]),
    "a code": (["CHF 5", "CHF 7.50", "CHF 1"], [5, 7.5, 1], ["in CHF"]),
    "accounts": (["(1,200)", "300", "12"], [-1200, 300, 12], [COMMAS]),
    "a minus": (["−5", "3", "2"], [-5, 3, 2], []),
    "exponents": (["1e3", "2.5E-1", "7"], [1000, 0.25, 7], []),
}  # fmt: skip


class TestNumbersAsPeopleWriteThem:
    @pytest.mark.parametrize("case", NUMBERS)
    def test_a_column_of_one_form(self, case):
        cells, numbers, parts = NUMBERS[case]
        said = f" ({'; '.join(parts)})" if parts else ""
        assert treated_as(cells) == (f"number{said}", "")
        encoder = TableEncoder(drop=["other"])
        rows = {"x": cells, "other": ["1"] * len(cells)}
        X = encoder.fit_transform(rows)[:, 0]
        known = [k for k, cell in enumerate(cells) if re.search(r"\d", cell)]
        expected = np.array(numbers, dtype=float)
        fitted = np.polyfit(expected, X[known], 1)
        np.testing.assert_allclose(np.polyval(fitted, expected), X[known], atol=1e-5)
        np.testing.assert_array_equal(encoder.transform(rows)[:, 0], X)

    @pytest.mark.parametrize(
        ("cells", "remark"),
        [
            (["12", "7 %", "8"], "numbers in different forms"),
            (["$5", "7 €", "8 €"], "numbers in different forms"),
            (["1.5", "2,5", "8"], "numbers in different forms"),
            (["1,23", "1,234.5", "8"], "numbers in different forms"),
            (["12", "many", "8"], "2 numbers but not 'many': --gaps"),
            (["12", "1-2", "8"], "2 numbers but not '1-2': --gaps"),
            (["PMC12", "PMC13", "PMC15"], ""),
            (["1 2", "3 4", "1 3"], ""),
            (["555 1234", "555 1235", "1"], ""),
            (["12_3", "4_5", "12_3"], ""),
        ],
    )
    def test_cells_of_several_forms_are_categories(self, cells, remark):
        kind, said = treated_as(cells)
        assert kind == "category"
        assert remark in said

    def test_gaps_of_the_user(self):
        cells = ["12", "many", "8", "Many"]
        assert treated_as(cells, gaps=["MANY"]) == ("number", "")
        encoder = TableEncoder(gaps=["many"]).fit({"x": cells})
        assert encoder.transform({"x": ["many"]})[0, 1] > 0
        assert treated_as(["12", "-9", "8", "7"], gaps=[-9]) == ("number", "")
        encoder = TableEncoder(gaps=[-9]).fit({"x": [12, -9, 8]})
        assert encoder.transform({"x": [-9]})[0, 1] > 0
        for gaps in "many", 3:
            with pytest.raises(TypeError, match="gaps must be a list of names"):
                TableEncoder(gaps=gaps).fit({"x": cells})
        for rows, what in ({}, "column"), ({"x": []}, "row"):
            with pytest.raises(ValueError, match=f"there is no {what}."):
                TableEncoder().fit(rows)

    def test_what_one_column_leaves_open_another_may_tell(self):
        def forms(*columns, decimal=None):
            rows = {f"{k}": cells for k, cells in enumerate(columns)}
            return [
                each[2] for each in TableEncoder(decimal=decimal).fit(rows).columns_
            ]

        open_, sure, points = ["1,234", "12,500"], ["1,5", "2"], ["1.5", "2"]
        assert forms(open_) == [".,"]
        assert forms(open_, sure) == [",_", ",_"]
        assert forms(open_, points) == [".,", ""]
        assert forms(open_, sure, points) == [".,", ",_", ""]
        assert forms(open_, decimal="comma") == [",_"]
        assert forms(["1.234", "12.500"], sure) == [",.", ",_"]
        assert forms(["1.234", "1250.5"], sure) == ["", ",_"]
        assert forms(["1.234", "12.500"], decimal="comma") == [",."]
        mixed = ["1,234", "1500"]
        assert forms(mixed, sure) == [",_", ",_"]
        assert forms(mixed, points) == [".,", ""]
        assert forms(mixed, decimal="comma") == [",_"]
        assert forms(mixed, decimal="point") == [".,"]
        with pytest.raises(
            ValueError, match="'0', such as 1,234, can have thousands or"
        ):
            forms(mixed)
        with pytest.raises(ValueError, match="decimal must be"):
            forms(mixed, decimal=",")

    def test_a_new_cell_of_another_form(self):
        encoder = TableEncoder().fit({"x": ["1.234,5 €", "2 €"]})
        words = "row 1, column 'x': '7' is not a number with decimal comma; points"
        with pytest.raises(ValueError, match=words):
            encoder.transform({"x": ["7"]})


class TestFrames:
    ROWS = {"age": [31, None, 47], "city": ["Rome", "Oslo", None]}

    def test_polars(self):
        polars = pytest.importorskip("polars")
        X = TableEncoder().fit_transform(self.ROWS)
        frame = polars.DataFrame(self.ROWS)
        np.testing.assert_array_equal(TableEncoder().fit_transform(frame), X)
        encoder = TableEncoder().set_output(transform="polars")
        assert encoder.fit_transform(frame).columns[0] == "age"

    def test_names_of_numbers(self):
        rows = self.ROWS | {"day": ["2024-01-02", "2024-01-03", "2023-01-01"]}
        encoder = TableEncoder().set_output(transform="pandas")
        X = encoder.fit_transform(pd.DataFrame(rows, index=[5, 7, 9]))
        names = encoder.get_feature_names_out().tolist()
        assert X.columns.tolist() == names
        assert X.index.tolist() == [5, 7, 9]
        assert names[:3] == ["age", "day", "age missing"]
        assert names[-3:] == ["city_", "city_oslo", "city_rome"]
        assert len({*names}) == len(names)

    def test_names_of_numbers_of_texts_and_vectors(self):
        rows = {"t": NOTES, "n": ["1", "2", "4", "4"], "v": [[1, 2]] * 4}
        table = TableEncoder(text=["t"])
        for encoder in (TextEncoder(["t"]), table, VectorEncoder("v", table)):
            X = encoder.fit_transform(rows)
            assert len({*encoder.get_feature_names_out()}) == X.shape[1]
        names = encoder.get_feature_names_out().tolist()
        assert names[0] == "n"
        assert names[-2:] == ["v 0", "v 1"]
        assert {"t word film", "t direction 0"} < {*names}

    def test_complex_numbers_are_refused(self):
        with pytest.raises(ValueError, match="column 'x' holds complex numbers"):
            TableEncoder().fit({"x": [1 + 2j, 3]})

    def test_encoders_name_the_same_row_alike(self):
        index = [5, 9]
        rows = pd.DataFrame({"v": [[1, 2], [3]], "x": ["1", "inf"]}, index=index)
        for encoder in (TableEncoder(drop=["v"]), VectorEncoder("v")):
            with pytest.raises(ValueError, match="row 2, column"):
                encoder.fit(rows)

    @pytest.mark.parametrize("parts", [True, False])
    @pytest.mark.parametrize("text", ["film", "a film", "a good film"])
    def test_one_text_repeated(self, text, parts):
        encoder = TextEncoder(["t"], parts=parts)
        X = encoder.fit_transform({"t": [text] * 5})
        assert np.isfinite(X.toarray()).all()
        assert (encoder.transform({"t": [text] * 5}) != X).nnz == 0


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
