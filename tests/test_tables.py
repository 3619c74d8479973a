"""Tables with columns of all kinds: what they are taken for, what is learned from."""

import builtins
import math
import time

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sklearn_activelearn._cli.labelled_data import read_labelled
from sklearn_activelearn._cli.tasks import read_task
from sklearn_activelearn._tables import limits, tables
from sklearn_activelearn._tables.columns import typed
from sklearn_activelearn._tables.encoding import encoder_of, rows_of
from sklearn_activelearn._tables.tables import Table, read_table
from sklearn_activelearn.preprocessing import TableEncoder

NAMES = ["red", "green", "blue", "red"]
NOTES = ["a good film", "", "not so good a film", "what a bad film"]


def table_of(**columns):
    n_rows = len(next(iter(columns.values())))
    return Table("rows.csv", columns, range(2, n_rows + 2), 0)


def column(cells, **told):
    """Return what a column is taken for, beside one that is used."""
    table = table_of(y=["a"] * len(cells), x=cells, z=NAMES[:1] + ["?"] * len(cells))
    table.columns["z"].pop()
    return next(c for c in typed(table, "y", **told) if c.name == "x")


class TestKinds:
    @pytest.mark.parametrize(
        ("cells", "kind"),
        [
            (["1", "2.5", "", "-3e2"], "number"),
            (["1", "0", "1", "1"], "number"),
            (["yes", "No", "?", "yes"], "boolean"),
            (["True", "False", "", "TRUE"], "boolean"),
            (["yes", "no", "perhaps", "yes"], "category"),
            (["yes", "yes", "", "true"], "category"),
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
    def test_of_cells(self, cells, kind):
        assert column(cells).kind == kind

    def test_another_value_in_each_row(self):
        ids = [f"id-{k}" for k in range(40)]
        assert column(ids).why == " (has another value in each row)"
        assert column([*ids[:-1], ids[0]]).kind == "category"
        assert column(ids[:20]).kind == "category"

    def test_told(self):
        cells = ["1", "2", "3", "4"]
        assert column(cells, categorical=["x"]).kind == "category"
        assert column(cells, drop=["x"]).why == " (by --drop)"
        assert column(NAMES, text=["x"]).kind == "text"
        texts = ["12 34", "", "5", "x"]
        assert column(texts, text=["x"]).values == texts

    def test_values(self):
        flags = column(["yes", "n/a", "No"]).values
        np.testing.assert_array_equal(flags, [1, math.nan, 0])
        days = column(["1970-01-02", "", "1969-12-31T12:00"]).values
        np.testing.assert_array_equal(days, [1, math.nan, -0.5])
        days = column(["1970-01-01T02:00+02:00", "1970-01-03"]).values
        np.testing.assert_array_equal(days, [0, 2])
        # no month has 13 days more
        days = column(["2/1/1970", "13/1/1970", ""]).values
        np.testing.assert_array_equal(days, [1, 12, math.nan])

    @pytest.mark.parametrize("form", ["{}/{}/2024", "{}-{}-2024", "{}/{}/24 10:00"])
    def test_day_or_month_first_is_what_the_whole_column_says(self, form):
        first = [1, 3, 5, 1, 3]
        day_first = column([form.format(k, 2) for k in first] + [form.format(13, 2)])
        assert day_first.why == " (day first)"
        assert np.diff(day_first.values).tolist() == [2, 2, -4, 2, 10]
        month_first = column([form.format(2, k) for k in first] + [form.format(2, 13)])
        assert month_first.why == " (month first)"
        assert month_first.values.tolist() == day_first.values.tolist()
        # what a column tells is not overruled
        cells = [form.format(k, 2) for k in first] + [form.format(13, 2)]
        assert column(cells, dates="month-first").why == " (day first)"

    def test_dates_that_can_be_read_in_two_ways(self):
        cells = ["1/2/2024", "3/2/2024", "5/2/2024", ""]
        why = r"'x', such as 1/2/2024, have the day or the month first.*--dates day-"
        with pytest.raises(ValueError, match=why):
            column(cells)
        days = column(cells, dates="day-first").values
        assert np.diff(days)[:2].tolist() == [2, 2]
        days = column(cells, dates="month-first").values
        assert np.diff(days)[:2].tolist() == [60, 61]
        assert column(cells, drop=["x"]).kind == "left out"
        # both ways are the same dates
        assert column(["1/1/2024", "2/2/2024", "3/3/2024", ""]).kind == "date"

    @pytest.mark.skipif(not hasattr(time, "tzset"), reason="no time zones to set")
    def test_dates_do_not_depend_on_where_the_machine_is(self, monkeypatch):
        monkeypatch.setenv("TZ", "America/New_York")
        time.tzset()
        try:
            days = column(["1970-01-02", "1970-06-01"]).values
        finally:
            monkeypatch.undo()
            time.tzset()
        assert days.tolist() == [1, 151]

    @pytest.mark.parametrize(
        ("told", "why"),
        [
            ({"text": ["w"]}, "no column 'w'"),
            ({"drop": ["y"]}, "'y' holds the labels"),
            ({"text": ["x"]}, "no words in the column 'x'"),
            ({"text": ["x"], "drop": ["x"]}, "'x' cannot be text and left out"),
            ({"drop": ["x", "z"]}, r"no column to learn from. x \(by --drop\)"),
        ],
    )
    def test_refused(self, told, why):
        with pytest.raises(ValueError, match=why):
            column(["1", "2", "4"], **told)


class TestEncoder:
    def encoded(self, columns, standardize=True, **told):
        columns = typed(table_of(y=["a"] * 4, **columns), "y", **told)
        X = encoder_of(columns, standardize).fit_transform(rows_of(columns))
        return X.toarray() if issparse(X) else X

    def test_numbers(self):
        size, gap = self.encoded({"a": ["1", "3", "", "2"]}).T
        assert size[2] == size[3] == pytest.approx(0)
        assert size.std() == pytest.approx(1)
        assert gap.argmax() == 2

    def test_raw_numbers(self):
        X = self.encoded({"a": ["1", "3", "8", "2"]}, standardize=False)
        assert X.ravel().tolist() == [1, 3, 8, 2]

    def test_categories_and_their_gaps(self):
        X = self.encoded({"a": ["red", "blue", "?", "red"]})
        assert X.shape == (4, 3)
        assert (X.sum(axis=1) == 1).all()
        assert (X[0] == X[3]).all()

    def test_rare_categories_share_a_column(self):
        cells = [f"c{k}" for k in range(60)] * 2 + ["c0"] * 3
        columns = typed(table_of(y=["a"] * 123, x=cells), "y")
        encoder = encoder_of(columns).fit(rows_of(columns))
        X = encoder.transform(rows_of(columns))
        assert X.shape[1] == 30

    def test_categories_that_only_the_held_out_rows_have(self):
        columns = typed(table_of(y=["a"] * 4, x=["r", "r", "b", "g"], z=NAMES), "y")
        rows = rows_of(columns)
        X = encoder_of(columns).fit(rows[:3]).transform(rows)
        assert np.isfinite(X.toarray() if issparse(X) else X).all()

    def test_dates_go_round(self):
        cells = ["2021-01-04", "2022-01-03", "2021-07-05", ""]  # three Mondays
        X = self.encoded({"a": cells})
        day, gap, *circles = X.T
        year, week, hour = np.array(circles).reshape(3, 2, 4)
        assert gap.argmax() == 3
        assert day[0] < day[2] < day[1]
        np.testing.assert_allclose(year[:, 0], year[:, 1], atol=0.03)
        assert np.abs(year[:, 0] - year[:, 2]).max() > 1.9
        np.testing.assert_allclose(week[:, 0], week[:, 2], atol=1e-9)
        np.testing.assert_allclose(hour[0], 0, atol=1e-9)

    def test_dates_without_gaps_beside_texts(self):
        cells = ["2021-01-04", "2022-01-03", "2021-07-05", ""]
        X = self.encoded({"a": cells, "t": NOTES})
        assert X.dtype == float
        np.testing.assert_array_equal(X[3, 2:8], 0)  # of a gap

    def test_texts_beside_others(self):
        columns = {"a": ["1", "3", "", "2"], "t": NOTES, "c": NAMES}
        X = self.encoded(columns)
        n_words = len({w for text in NOTES for w in text.split() if len(w) > 1})
        assert X.shape == (4, 2 + 3 + n_words)
        lengths = np.linalg.norm(X[:, 5:], axis=1)
        np.testing.assert_allclose(lengths, [1, 0, 1, 1])

    def test_what_it_learns_is_of_the_rows_it_is_fitted_on(self):
        columns = typed(table_of(y=["a"] * 4, x=["1", "2", "4", "9"], t=NOTES), "y")
        rows = rows_of(columns)
        encoder = encoder_of(columns).fit(rows[:2])
        X = encoder.transform(rows)
        assert X.shape[1] == 1 + 2  # "good" and "film", no word of the others
        assert (X.toarray() if issparse(X) else X)[2, 0] == pytest.approx(5)

    def test_a_column_that_is_empty_in_some_rows(self):
        columns = typed(table_of(y=["a"] * 4, x=["", "", "4", "9"], z=NAMES), "y")
        X = encoder_of(columns).fit(rows_of(columns)[:2]).transform(rows_of(columns))
        assert np.isfinite(X.toarray() if issparse(X) else X).all()


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
        for k in range(4):
            alone = {name: cells[k : k + 1] for name, cells in self.ROWS.items()}
            np.testing.assert_array_equal(encoder.transform(alone), X[[k]])
        frame = pd.DataFrame(self.ROWS)
        frame["n"] = pd.to_numeric(frame["n"])
        frame["colour"] = frame["colour"].astype("category")
        np.testing.assert_array_equal(encoder.transform(frame[frame.columns[::-1]]), X)

    def test_a_category_that_is_new_counts_as_none(self):
        encoder = TableEncoder().fit(self.ROWS)
        before = encoder.transform(self.ROWS)
        X = encoder.transform(self.ROWS | {"colour": ["violet", "blue", "red", "red"]})
        np.testing.assert_array_equal(X[1:], before[1:])
        assert X[0, -2:].tolist() == [0, 0]

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ({"n": ["1", "x", "", ""]}, "line 3, column 'n': 'x' is no number"),
            ({"n": ["1", "1e200", "", ""]}, "line 3, column 'n': '1e200' is no number"),
            ({"day": ["2024-02-01"] * 4}, r"line 2, .*no date of the form %d\.%m\.%Y"),
            ({"flag": ["yes", "maybe", "", ""]}, "line 3, .*'maybe' is no boolean"),
            ({"n": ["1"]}, "different numbers of cells"),
            ({name: [] for name in ("n", "day", "flag", "colour", "one")}, "is no row"),
        ],
    )
    def test_refused(self, change, why):
        encoder = TableEncoder().fit(self.ROWS)
        with pytest.raises(ValueError, match=why):
            encoder.transform(self.ROWS | change)

    def test_a_column_that_is_missing(self):
        encoder = TableEncoder().fit(self.ROWS)
        with pytest.raises(
            ValueError, match=r"no column 'colour'\. Did you mean 'color"
        ):
            encoder.transform({"n": ["1"], "day": [""], "flag": [""], "color": ["r"]})

    def test_what_has_no_names(self):
        with pytest.raises(TypeError, match="columns with names"):
            TableEncoder().fit(np.eye(3))

    def test_parameters_that_are_refused(self):
        with pytest.raises(ValueError, match="dates must be one of"):
            TableEncoder(dates="year-first").fit(self.ROWS)
        with pytest.raises(ValueError, match="no column 'none'"):
            TableEncoder(drop=["none"]).fit(self.ROWS)


class TestFiles:
    FRAME = pd.DataFrame(
        {
            "Unnamed: 0": [3, 1, 2],
            "n": [1.0, None, 3.5],
            "whole": [7, 8, 10],
            "day": pd.to_datetime(["2024-01-01", None, "2024-03-01"]),
            "flag": [True, False, True],
            "kind": ["a", "b", "a"],
        }
    )
    CELLS = {
        "n": ["1", "", "3.5"],
        "whole": ["7", "8", "10"],
        "day": ["2024-01-01 00:00:00", "", "2024-03-01 00:00:00"],
        "flag": ["True", "False", "True"],
        "kind": ["a", "b", "a"],
    }
    KINDS = [["number", "n, whole"], ["boolean", "flag"], ["date", "day"]]
    UNNAMED = ["left out", "columns without a name (1)"]

    def check(self, path, monkeypatch, reader):
        path.write_bytes(b"what is in it does not matter")
        monkeypatch.setattr(pd, reader, lambda _: self.FRAME)
        monkeypatch.setattr(tables, "check_parquet_room", lambda _: None)
        table = read_table(path)
        assert table.columns == self.CELLS
        assert list(table.lines) == [2, 3, 4]
        data = read_labelled(path, "kind")
        assert [line.split(": ") for line in data.treated_as] == [
            *self.KINDS,
            self.UNNAMED,
        ]
        assert read_task(path, labelled="kind").known == {1: "a", 2: "b", 3: "a"}

    def test_parquet(self, tmp_path, monkeypatch):
        self.check(tmp_path / "a.parquet", monkeypatch, "read_parquet")

    def test_excel(self, tmp_path, monkeypatch):
        self.check(tmp_path / "a.XLSX", monkeypatch, "read_excel")

    @pytest.mark.parametrize(
        ("name", "package"), [("a.parquet", "pyarrow"), ("a.xlsx", "openpyxl")]
    )
    def test_real_ones(self, name, package, tmp_path):
        pytest.importorskip(package)
        path = tmp_path / name
        write = self.FRAME.to_excel if name.endswith("x") else self.FRAME.to_parquet
        write(path, index=False)
        assert read_table(path).columns == self.CELLS

    @pytest.mark.parametrize("name", ["a.parquet", "a.xlsx"])
    def test_without_pandas(self, name, tmp_path, monkeypatch):
        real = builtins.__import__

        def without(module, *args, **kwargs):
            if module == "pandas":
                raise ImportError
            return real(module, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", without)
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(ValueError, match=r"need pandas and .*pip install pandas"):
            read_table(tmp_path / name)

    def test_a_parquet_file_is_refused_for_its_size_before_it_is_decoded(
        self, tmp_path, monkeypatch
    ):
        pytest.importorskip("pyarrow")
        path, rows = tmp_path / "a.parquet", pd.DataFrame({"n": np.zeros(10**6)})
        rows.to_parquet(path)
        assert path.stat().st_size < 10_000
        monkeypatch.setattr(limits, "ROOM", 5 * 10**7)
        monkeypatch.delattr(pd, "read_parquet")
        with pytest.raises(
            ValueError, match=r"its cells would take 0\.1 GB, more than"
        ):
            read_table(path)

    def test_what_is_no_parquet_file(self, tmp_path):
        pytest.importorskip("pyarrow")
        (tmp_path / "a.parquet").write_bytes(b"x" * 100)
        with pytest.raises(ValueError, match=r"cannot read this \.parquet file: "):
            read_table(tmp_path / "a.parquet")

    def test_what_pandas_refuses(self, tmp_path, monkeypatch):
        def refuse(_):
            raise KeyError("no magic\nbytes")

        monkeypatch.setattr(pd, "read_parquet", refuse)
        monkeypatch.setattr(tables, "check_parquet_room", lambda _: None)
        (tmp_path / "a.parquet").write_bytes(b"x")
        with pytest.raises(ValueError, match=r"cannot read this \.parquet file: 'no"):
            read_table(tmp_path / "a.parquet")


def test_rows_to_label_are_encoded_as_ever(tmp_path):
    """Sessions compare the rows with those that they began with.

    Of tables of numbers and categories alone the encoding has never changed.
    """
    rng = np.random.RandomState(0)
    n = rng.normal(size=80).round(3)
    cells = [f"c{k}" for k in rng.poisson(30, size=80)]
    days = [f"day {k + 1:02}" for k in range(20)] * 4
    rows = [f"{a},{b},{c}" for a, b, c in zip(n, cells, days, strict=True)]
    rows[3] = f"NA,{cells[3]},"
    (tmp_path / "a.csv").write_text("\n".join(["n,c,d", *rows]))
    n[3] = np.nan
    days[3] = ""
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
    X = read_task(tmp_path / "a.csv").X
    np.testing.assert_array_equal(X, expected.round(6))
