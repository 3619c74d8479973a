"""Files with rows and labels: contents, and damaged files, which cost one sentence."""

import json
import os

import pytest

from tests.reference.labeling import run_python

QUICK = ["--folds", "2", "--repeats", "1", "--jobs", "1", "--learner", "DKM"]


@pytest.fixture
def refused(command):
    """Run with a file that must be refused in one line; return that line."""

    def run(path, *options):
        out, err = command("compare", "--data", str(path), *options, code=2)
        assert out == ""
        *_, last = err.splitlines()
        assert last.startswith(f"sklearn-activelearn: error: {path}: ")
        assert len(last) < 500
        return last

    return run


BAD_CSV = {
    "no label": ("kind,a\n,1\n,2\n", "no row has a label in the column 'kind'"),
    "other column": ("kinds,a\nx,1\n", "Did you mean 'kinds'"),
    "no names": (",\n1,2\n", "the first line names no columns"),
    "no rows": ("kind,a\n", "no row below the header"),
    "no features": ("kind\nx\ny\n", "no column to learn from"),
    "one value": ("kind,a\nx,1\ny,1\n", "no column to learn from. a (has one value)"),
    "nothing": ("", "the file is empty"),
    "only a mark": ("\ufeff", "the first line names no columns"),
    "not text": (b"kind,a\n\xff\0,1\n", "this is no text file: it has zero bytes"),
    "one class": ("kind,a\nx,1\nx,3\n", "ll labels are x"),
    "rare class": (
        "kind,a\nx,1\nx,3\ny,1\n",
        "but y has 1. Classes with too few rows: 1 of 2",
    ),
}


class TestTables:
    @pytest.mark.parametrize("case", BAD_CSV)
    def test_bad_csv(self, case, tmp_path, command):
        content, message = BAD_CSV[case]
        path = tmp_path / "bad.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        argv = ["compare", "--data", str(path), "--target", "kind", "--folds", "2"]
        assert message in command(*argv, code=2).err.splitlines()[-1]

    def test_rows_without_a_label_are_left_out(self, tmp_path, command):
        argv = ["compare", *QUICK, "--target", "kind", "--json", "--data"]
        lines = [f"{'xy'[i % 2]},{i * 7 % 13}\n" for i in range(30)]
        path, found = tmp_path / "a.csv", []
        for rows in lines, [" ,5\n", *lines, ",4\n"]:
            path.write_text("".join(["kind,a\n", *rows]))
            out, err = command(*argv, path)
            found.append(json.loads(out))
        assert found[0] == found[1]
        assert "2 of 32 rows have no label: they are left out" in err

    def test_target_column(self, tmp_path, refused, command):
        (tmp_path / "a.csv").write_text("kind,b\nx,1\n")
        assert "are: kind, b" in refused(tmp_path / "a.csv")
        for option in ("--target", "--drop"):
            _, err = command("compare", option, "kind", code=2)
            assert f"{option} needs --data" in err

    def test_names_of_columns_do_not_reach_the_terminal_as_they_are(
        self, tmp_path, command
    ):
        lines = "".join(f"{'xy'[i % 2]},{i * 7 % 13}\n" for i in range(30))
        path = tmp_path / "a.csv"
        path.write_text(f'kind,"a\x1b[31m\tb\n\x07c"\n{lines}')
        argv = ["compare", *QUICK, "--data", str(path), "--target"]
        out, err = command(*argv, "kind")
        assert "treated as number: a[31m b c" in err
        out += command(*argv, "other", code=2).err
        assert not {"\x1b", "\x07"} & {*out, *err}

    @pytest.mark.parametrize("name", ["a.parquet", "a.xlsx"])
    def test_damaged_files_of_other_programs(self, name, tmp_path, command):
        pytest.importorskip({"a.parquet": "pyarrow", "a.xlsx": "openpyxl"}[name])
        (tmp_path / name).write_bytes(b"x" * 100)
        argv = ["compare", "--data", tmp_path / name, "--target", "n"]
        assert "pandas cannot read this" in command(*argv, code=2).err


class TestContents:
    def test_the_digits_of_scikit_learn_need_no_other_package(self, tmp_path):
        (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
        code = f"""if True:
            import sys
            from importlib.machinery import PathFinder
            absent = "pandas skops filelock httpx prompt_toolkit matplotlib".split()
            class Finder(PathFinder):
                @staticmethod
                def find_spec(name, *args):
                    if name not in absent:
                        return PathFinder.find_spec(name, *args)
            sys.meta_path = [each for each in sys.meta_path if each is not PathFinder]
            sys.meta_path.append(Finder)
            from sklearn_activelearn.__main__ import main
            assert main(["compare", "--rows", "200", *{QUICK}]) == 0
            assert main(["compare", "--data", "rows.csv", "--target", "a"]) == 2
            assert main(["label", "rows.csv", "--out", "a", "--classes", "a,b"]) == 2
        """
        done = run_python("-c", code, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "always '3'" in done.stdout
        assert done.stderr.count("pip install pandas") == 2


KINDS = {
    "missing": (lambda path: None, "No such file"),
    "folder": (os.mkdir, "the folder holds no images"),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "or device"),
    "pipe": (lambda path: os.mkfifo(path), "no folder, pipe or device"),
}


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such files here")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.ris"])
def test_no_plain_file(name, kind, tmp_path, refused):
    make, words = KINDS[kind]
    make(tmp_path / name)
    assert words in refused(tmp_path / name, "--target", "kind")
