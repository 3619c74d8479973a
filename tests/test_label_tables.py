"""Rows to label from a CSV: what is shown, what is learned from, what is refused."""

import numpy as np
import pytest

from sklearn_activelearn._cli.tasks import default_learner, read_task
from sklearn_activelearn._tables.columns import parsed_numbers
from sklearn_activelearn._tables.pictures import numbers_of_image
from sklearn_activelearn.labeling._items import image_path


@pytest.fixture
def csv_of(tmp_path):
    def write(text, name="rows.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def pictures(tmp_path):
    Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (tmp_path / "below").mkdir()
    for name, colour in (("a.png", "black"), ("below/b.JPG", "white")):
        Image.new("RGB", (40, 30), colour).save(tmp_path / name)
    path = tmp_path / "pictures.csv"
    path.write_text("file\na.png\nbelow/b.JPG\n")
    return path


class TestTexts:
    def test_texts_are_shown_as_they_are_and_words_learned(self, csv_of):
        path = csv_of('n,review\n1,"Good, very\ngood"\n2,bad\n')
        task = read_task(path, text="review")
        assert task.kind == "text"
        assert task.items == ["Good, very\ngood", "bad"]
        assert list(task.ids) == [1, 2]
        assert task.X.shape == (2, 3)
        np.testing.assert_allclose(task.X.power(2).sum(axis=1), 1, rtol=1e-5)

    def test_several_columns_are_joined(self, csv_of):
        path = csv_of("a,b\ngood,film\n ,bore\ndull,\n")
        task = read_task(path, text=["a", "b"])
        assert task.items == ["good\n\nfilm", "bore", "dull"]
        assert task.shown == {"a": ["good", " ", "dull"], "b": ["film", "bore", ""]}
        assert task.X.shape == (3, 4)

    def test_a_cell_may_be_long(self, csv_of):
        text = "word " * 100_000
        task = read_task(csv_of(f"t\n{text}\n"), text="t")
        assert task.items == [text]

    def test_no_words(self, csv_of):
        with pytest.raises(ValueError, match="no words in the column 't'"):
            read_task(csv_of("t\n.\n-\n"), text="t")


class TestTables:
    def test_numbers_are_scaled_categories_one_hot_gaps_filled(self, csv_of):
        path = csv_of("name,size,colour\nx,1,red\ny,3,\nz,NA,red\nx,2,blue\n")
        task = read_task(path, id_column=None, labelled="name")
        assert task.items[0] == {"size": "1", "colour": "red"}  # the label is hidden
        size, gap, *colours = task.X.T
        np.testing.assert_allclose(size.mean(), 0, atol=1e-6)
        np.testing.assert_allclose(size.std(), 1, rtol=1e-5)
        assert size[2] == size[3]  # the median
        assert gap.argmax() == 2
        np.testing.assert_array_equal(np.array(colours).sum(axis=0), 1)

    def test_the_id_is_shown_and_not_learned(self, csv_of):
        path = csv_of("key,size\nb,1\na,2\n")
        task = read_task(path, id_column="key")
        assert task.ids == ["b", "a"]
        assert task.items[1] == {"key": "a", "size": "2"}
        assert task.X.shape == (2, 1)

    def test_a_column_without_a_name_counts_rows_and_is_left_out(self, csv_of):
        task = read_task(csv_of(",size\n0,7\n1,8\n"))
        assert task.items == [{"size": "7"}, {"size": "8"}]

    @pytest.mark.parametrize(
        ("cells", "numbers"),
        [
            (["1", " 2.5 ", "-3e2"], [1, 2.5, -300]),
            (["1", "?", "n/a"], [1, np.nan, np.nan]),
            (["1", "two"], None),
            (["", "?"], None),
            (["1", "inf"], None),
            (["1", "1e200"], None),
        ],
    )
    def test_what_counts_as_a_column_of_numbers(self, cells, numbers):
        found = parsed_numbers(cells)
        assert (found is None) == (numbers is None)
        if numbers is not None:
            np.testing.assert_array_equal(found, numbers)

    def test_only_columns_that_are_not_learned(self, csv_of):
        with pytest.raises(ValueError, match="no column to learn from"):
            read_task(csv_of("key\na\nb\n"), id_column="key")

    def test_columns_of_all_kinds(self, csv_of):
        rows = "".join(
            f"{k % 3 + 1},{k % 28 + 1}/2/2024,{'yes' if k % 2 else 'no'},code-{k},"
            f"a {'fine' if k % 2 else 'dull'} film number {k}\n"
            for k in range(40)
        )
        task = read_task(csv_of(f"n,day,new,code,note\n{rows}"))
        assert task.encoder.treated_as_ == [
            "number: n",
            "boolean: new",
            "date: day (day first)",
            "text: note",
            "left out: code (has another value in each row)",
        ]
        assert [*task.items[0]] == ["n", "day", "new", "code", "note"]

    def test_a_column_that_is_shown_and_not_learned_from(self, csv_of):
        path = csv_of("size,secret\n1,4\n3,2\n2,9\n")
        task = read_task(path, drop=["secret"])
        assert task.items[0] == {"size": "1", "secret": "4"}
        assert task.X.shape == (3, 1)

    def test_known_labels(self, csv_of):
        path = csv_of("t,kind\nsome words,\nother, good \nmore,bad\n")
        assert read_task(path, text="t", labelled="kind").known == {2: "good", 3: "bad"}


def test_the_numbers_are_those_of_another_machine(csv_of):
    rows = "".join(f"{i / 7},{i % 3}\n" for i in range(30))
    X = read_task(csv_of(f"a,b\n{rows}")).X
    np.testing.assert_array_equal(X, X.round(6))


def test_the_default_learner_learns_from_what_is_read(csv_of):
    rows = "".join(f"{'good' if i % 2 else 'bad'} film {i}\n" for i in range(40))
    task = read_task(csv_of(f"t\n{rows}"), text="t")
    y = np.array(["a", "b"] * 20)
    learner = default_learner().set_params(budget=15, random_state=0).fit(task.X, y)
    assert (learner.predict(task.X) == y).all()


class TestImages:
    def test_paths_are_items_and_pixels_are_learned(self, pictures):
        task = read_task(pictures, image="file")
        assert task.kind == "image"
        assert task.items == ["a.png", "below/b.JPG"]
        assert task.X.shape == (2, 16 * 16 + 64 + 16 * 8)

    def test_colours_and_edges_tell_images_apart(self):
        Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
        stripes = np.zeros((40, 40, 3), dtype=np.uint8)
        stripes[::8] = stripes[1::8] = stripes[2::8] = stripes[3::8] = 255
        red = np.full((40, 40, 3), (200, 90, 90), dtype=np.uint8)
        green = np.full((40, 40, 3), (90, 150, 90), dtype=np.uint8)
        numbers = [
            numbers_of_image(Image.fromarray(pixels))
            for pixels in (stripes, stripes.transpose(1, 0, 2), red, green)
        ]
        across, down, of_red, of_green = (
            np.split(each, [256, 320]) for each in numbers
        )
        np.testing.assert_array_equal(across[1], down[1])
        np.testing.assert_allclose(np.linalg.norm(across[2]), 3, rtol=1e-3)
        assert across[2] @ down[2] < 0.1
        assert of_red[1] @ of_green[1] == 0
        assert not of_red[2].any()

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
            ("a\0.png", "no path"),
        ],
    )
    def test_paths_that_are_refused(self, pictures, tmp_path, name, why):
        folder = pictures.parent
        outside = tmp_path.parent / "secret.png"
        outside.write_bytes((folder / "a.png").read_bytes())
        (folder / "link.png").symlink_to(outside)
        with pytest.raises(ValueError, match=why):
            image_path(folder.resolve(), name)
        pictures.write_text(f'file\na.png\n"{name}"\n')
        with pytest.raises(ValueError, match=f"^line 3: .*{why}"):
            read_task(pictures, image="file")

    def test_what_only_looks_like_an_image(self, pictures):
        (pictures.parent / "a.png").write_text("<svg>")
        with pytest.raises(ValueError, match=r"line 2: 'a.png': it is no image\."):
            read_task(pictures, image="file")


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        ("t\na\n", {"text": "tt"}, "no column 'tt'. Did you mean 't'"),
        ("t\na\n", {"id_column": "x"}, "no column 'x'"),
        ("t\na\n", {"labelled": "x"}, "no column 'x'"),
        ("t\na\n", {"image": "x"}, "no column 'x'"),
        ("t\n", {}, "no row below the header"),
        ("", {}, "the file is empty"),
        (",\n1,2\n", {}, "names no columns"),
        ("a;b\n1;2\n", {}, "separated by semicolons"),
        ("a,a\n1,2\n", {}, "the column 'a' twice"),
        ("a,b\n1,2\n1\n", {}, "line 3 has 1 cells, but the header has 2"),
        ("a\nx\nx\n", {"id_column": "a"}, "line 3, column 'a': line 2 has the id 'x'"),
        ('a\nx\n" "\n', {"id_column": "a"}, "line 3, column 'a': the id is missing"),
    ],
)
def test_files_that_are_refused(csv_of, text, options, why):
    with pytest.raises(ValueError, match=why):
        read_task(csv_of(text), **options)


def test_no_text_and_no_file(tmp_path, csv_of):
    with pytest.raises(ValueError, match="only plain files"):
        read_task(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_task(tmp_path / "none.csv")
    path = csv_of("")
    path.write_bytes(b"a\n\xff\xfe\n")
    with pytest.raises(ValueError, match="no text in UTF-8"):
        read_task(path)
