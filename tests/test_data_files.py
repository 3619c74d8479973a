"""Files with rows and labels: contents, and damaged files, which cost one sentence."""

import bz2
import gzip
import io
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from numpy.lib import format as npy
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file, load_iris

from sklearn_activelearn.__main__ import main

LABELS = np.array([0, 1] * 5)
CSR = csr_array(np.eye(10))
CSR_PARTS = ("data", "indices", "indptr", "shape")
QUICK = ["--folds", "2", "--repeats", "1", "--jobs", "1", "--learner", "DKM"]


@pytest.fixture
def refused(capsys):
    """Run with a file that must be refused in one line; return that line."""

    def run(path, *options):
        assert main(["compare", "--data", str(path), *options]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        *_, last = err.splitlines()
        assert last.startswith(f"sklearn-activelearn: error: {path}: ")
        assert len(last) < 500
        return last

    return run


@pytest.fixture
def report(capsys):
    """Run with a file; return the report, without the name of the file."""

    def run(path, *options):
        assert main(["compare", *QUICK, "--json", "--data", f"{path}", *options]) == 0
        found = json.loads(capsys.readouterr().out)
        del found["data"]
        return found

    return run


def npy_file(shape=(10, 1), descr="<f8", data=bytes(80)):
    file = io.BytesIO()
    header = {"shape": shape, "fortran_order": False, "descr": descr}
    npy.write_array_header_1_0(file, header)
    return file.getvalue() + data


def npy_with(header, version=b"\1\0"):
    size = len(header).to_bytes(2 if version == b"\1\0" else 4, "little")
    return npy.MAGIC_PREFIX + version + size + header + bytes(80)


def zipped(X=None):
    """Return an archive whose X is these bytes."""
    labels, content = io.BytesIO(), io.BytesIO()
    np.save(labels, LABELS)
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("X.npy", npy_file() if X is None else X)
        archive.writestr("y.npy", labels.getvalue())
    return content.getvalue()


def patched(offset, value, size=2):
    """Return an archive with another field in both headers of every member."""
    content = bytearray(zipped())
    for signature, start in ((b"PK\3\4", offset), (b"PK\1\2", offset + 2)):
        position = content.find(signature)
        while position >= 0:
            field = slice(position + start, position + start + size)
            content[field] = value.to_bytes(size, "little")
            position = content.find(signature, position + 1)
    return bytes(content)


HEADER = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s)}\n"
PLAIN = "not an archive of plain arrays"

BAD_NPZ = {
    "huge shape": (zipped(npy_file((10**12, 10))), PLAIN),
    "2**64 rows": (zipped(npy_file((2**64, 1))), PLAIN),
    "2**64 columns": (zipped(npy_file((0, 2**64), data=b"")), PLAIN),
    "negative": (zipped(npy_file((-1, -10))), PLAIN),
    "objects": (zipped(npy_file(descr="|O")), "Object arrays cannot be loaded"),
    "signs": (zipped(npy_with(HEADER % (b"-" * 9000 + b"1,"))), PLAIN),
    "open string": (zipped(npy_with(b"{'descr': '''<f8, \n")), PLAIN),
    "brackets": (zipped(npy_with(b"(" * 5000)), PLAIN),
    "version": (zipped(npy_with(b"", b"\3\0")), PLAIN),
    "no array": (
        zipped(b"to be or not to be"),
        "X must be numbers or class labels, not |S",
    ),
    "nothing": (zipped(b""), "X must be numbers or class labels, not |S"),
    "deep type": (zipped(npy_file(descr=[("a" * 300, [("b" * 300, "<f8")])])), "aaa"),
    "encrypted": (patched(6, 1), "'X.npy' is encrypted"),
    "strongly encrypted": (patched(6, 65), "strong encryption"),
    "unknown method": (patched(8, 99), PLAIN),
    "zip version": (patched(4, 255), "zip file version 25.5"),
    "cut off": (zipped()[:-30], PLAIN),
    "hole": (zipped()[:50] + zipped()[80:], PLAIN),
    "text": (b"1 1:2\n", PLAIN),
}

BAD_ARRAYS = {
    "no y": ({"X": np.eye(4)}, "holds X. It must hold y"),
    "many names": ({f"part{i}": 0 for i in range(200)}, "part19 …. It must hold y"),
    "lengths": ({"X": np.eye(4), "y": [0, 1]}, "inconsistent numbers of samples"),
    "one dimension": ({"X": np.ones(4), "y": [0, 1, 0, 1]}, "Expected 2D array"),
    "text": ({"X": [["a"], ["b"]], "y": [0, 1]}, "not <U1"),
    "nan": ({"X": [[0, np.nan], [1, 1]], "y": [0, 1]}, "X contains NaN"),
    "huge": ({"X": [[0, 1e200], [1, 1]], "y": [0, 1]}, "numbers above 1e+150"),
    "fractions": ({"X": np.eye(2), "y": [0.5, 1]}, "label type: continuous"),
    "label nan": ({"X": np.eye(2), "y": [np.nan, 1]}, "y contains NaN"),
    "table of labels": ({"X": np.eye(2), "y": np.eye(2)}, "y should be a 1d array"),
    "complex labels": ({"X": np.eye(2), "y": [1j, 2j]}, "not complex128"),
}

BAD_CSR = {
    "2**64 rows": ("shape", np.array([2**64 - 1, 10], np.uint64), PLAIN),
    "huge columns": ("shape", [10, 2**62], "4,611,686,018,427,387,904 features for 2"),
    "short shape": ("shape", [10], PLAIN),
    "deep shape": ("shape", [[10, 10]], PLAIN),
    "2**63 index": ("indices", np.full(10, 2**63, np.uint64), PLAIN),
    "negative index": ("indices", np.full(10, -1), PLAIN),
    "large index": ("indices", np.full(10, 10), "indices must be < 10"),
    "short indptr": ("indptr", [0, 2], PLAIN),
    "negative end": ("indptr", [*range(10), -1], PLAIN),
    "large end": ("indptr", [*range(10), 99], PLAIN),
    "infinite": ("data", np.array([1.0] * 9 + [np.inf]), "X contains infinity"),
    "format": ("format", "x" * 10**5, PLAIN),
}


class TestArchive:
    @pytest.mark.parametrize("case", BAD_NPZ)
    def test_damaged(self, case, tmp_path, refused):
        content, message = BAD_NPZ[case]
        path = tmp_path / "bad.npz"
        path.write_bytes(content)
        assert message in refused(path)

    @pytest.mark.parametrize("case", BAD_ARRAYS)
    def test_other_arrays(self, case, tmp_path, refused):
        arrays, message = BAD_ARRAYS[case]
        np.savez(tmp_path / "bad.npz", **arrays)
        assert message in refused(tmp_path / "bad.npz")

    @pytest.mark.parametrize("case", BAD_CSR)
    def test_damaged_csr_parts(self, case, tmp_path, refused):
        part, value, message = BAD_CSR[case]
        parts = {name: getattr(CSR, name) for name in CSR_PARTS} | {"format": "csr"}
        np.savez(tmp_path / "bad.npz", **{**parts, "y": LABELS, part: value})
        assert message in refused(tmp_path / "bad.npz")


class TestSvmlight:
    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.svm", b"1 1:2\nx 1:2\n1 1:1\n", "is not in svmlight format: "),
            ("a.txt", b"1 1:2\n1 2:2 1:1\n", "is not in svmlight format: "),
            ("a.svm", b"1 1:1\n-1 1:x\n", "svmlight format: could not convert"),
            (
                "a.svm",
                b"1 1:1\n-1 2147483647:1\n",
                "2,147,483,647 features for 2 classes are too many",
            ),
            ("a.svm", b"1.5 1:2\n1 1:2\n", "label type: continuous"),
            ("a.svm", b"\n", "0 sample(s)"),
            ("a.txt.gz", b"1 1:2\n", "cannot be read"),
            (
                "a.txt.gz",
                gzip.compress(b"1 1:2\n" * 999, mtime=0)[:-9],
                "cannot be read",
            ),
            ("a.txt.bz2", b"1 1:2\n", "Invalid data stream"),
            ("a.ods", b"x", "the file must end in .csv, .parquet"),
            ("a.csv.gz", b"x", "the file must end in .csv, .parquet"),
        ],
    )
    def test_damaged(self, name, content, message, tmp_path, refused):
        (tmp_path / name).write_bytes(content)
        assert message in refused(tmp_path / name)


BAD_CSV = {
    "infinite": ("kind,a\nx,1\ny,inf\n", "row 2, column 'a': 'inf' is not a number"),
    "no label": ("kind,a\n,1\n,2\n", "no row has a label in the column 'kind'"),
    "long row": ("kind,a\nx,1,2\n", "not a CSV with commas: Expected 2 fields in line"),
    "open quote": ('kind,a\nx,"1\n', "not a CSV with commas: EOF inside string"),
    "other column": ("kinds,a\nx,1\n", "Did you mean 'kinds'"),
    "semicolons": ("kind;a\nx;1\n", "separated by semicolons, not by commas: save"),
    "tabs": ("kind\ta\nx\t1\n", "separated by tabs"),
    "two columns": ("kind,a,a\nx,1,1\n", "names the column 'a' twice"),
    "no names": (",\n1,2\n", "the first line names no columns"),
    "no rows": ("kind,a\n", "no row below the header"),
    "no features": ("kind\nx\ny\n", "no column to learn from"),
    "one value": ("kind,a\nx,1\ny,1\n", "no column to learn from. a (has one value)"),
    "nothing": ("", "the file is empty"),
    "only a mark": ("\ufeff", "the first line names no columns"),
    "not text": (b"kind,a\n\xff\xfe,1\n", "not text in UTF-8: save it as CSV in UTF-8"),
    "one class": ("kind,a\nx,1\nx,3\n", "ll labels are x"),
    "rare class": ("kind,a\nx,1\nx,3\ny,1\n", "lass y has "),
}


class TestTables:
    @pytest.mark.parametrize("case", BAD_CSV)
    def test_bad_csv(self, case, tmp_path, capsys):
        content, message = BAD_CSV[case]
        path = tmp_path / "bad.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        argv = ["compare", "--data", str(path), "--target", "kind", "--folds", "2"]
        assert main(argv) == 2
        assert message in capsys.readouterr().err.splitlines()[-1]

    def test_rows_without_a_label_are_left_out(self, tmp_path, report, capsys):
        lines = [f"{'xy'[i % 2]},{i * 7 % 13}\n" for i in range(30)]
        (tmp_path / "all.csv").write_text("".join(["kind,a\n", *lines]))
        (tmp_path / "some.csv").write_text("".join(["kind,a\n ,5\n", *lines, ",4\n"]))
        options = ["--target", "kind"]
        assert report(tmp_path / "all.csv", *options) == report(
            tmp_path / "some.csv", *options
        )
        main(["compare", *QUICK, "--data", f"{tmp_path / 'some.csv'}", *options])
        assert "2 of 32 rows have no label: they are left out" in capsys.readouterr()[1]

    def test_target_column(self, tmp_path, refused, capsys):
        (tmp_path / "a.csv").write_text("kind,b\nx,1\n")
        assert "are: kind, b" in refused(tmp_path / "a.csv")
        np.savez(tmp_path / "a.npz", X=np.eye(2), y=[0, 1])
        argv = [tmp_path / "a.npz", "--target", "y"]
        assert "Only tables (.csv" in refused(*argv)
        assert "--text needs columns" in refused(argv[0], "--text", "y")
        for option in ("--target", "--drop"):
            assert main(["compare", option, "kind"]) == 2
            assert f"{option} needs --data" in capsys.readouterr().err

    def test_names_of_columns_do_not_reach_the_terminal_as_they_are(
        self, tmp_path, capsys
    ):
        lines = "".join(f"{'xy'[i % 2]},{i * 7 % 13}\n" for i in range(30))
        path = tmp_path / "a.csv"
        path.write_text(f'kind,"a\x1b[31m\tb\n\x07c"\n{lines}')
        argv = ["compare", *QUICK, "--data", str(path), "--target"]
        assert main([*argv, "kind"]) == 0
        out, err = capsys.readouterr()
        assert "treated as number: a[31m b c" in err
        assert main([*argv, "other"]) == 2
        out += capsys.readouterr().err
        assert not {"\x1b", "\x07"} & {*out, *err}

    @pytest.mark.parametrize("name", ["a.parquet", "a.xlsx"])
    def test_damaged_files_of_other_programs(self, name, tmp_path, capsys):
        pytest.importorskip({"a.parquet": "pyarrow", "a.xlsx": "openpyxl"}[name])
        (tmp_path / name).write_bytes(b"x" * 100)
        assert main(["compare", "--data", f"{tmp_path / name}", "--target", "n"]) == 2
        assert "pandas cannot read this" in capsys.readouterr().err


class TestContents:
    def test_the_digits_of_scikit_learn_need_no_other_package(self, tmp_path):
        (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
        code = f"""if True:
            import sys
            from importlib.machinery import PathFinder
            absent = ["pandas", "skops", "filelock", "prompt_toolkit", "matplotlib"]
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
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            env=env,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert "always '3'" in done.stdout
        assert done.stderr.count("pip install pandas") == 2

    def test_all_kinds_of_files_hold_the_same(self, tmp_path, report):
        X, y = (part[::2] for part in load_iris(return_X_y=True))
        S = csr_array(X)
        np.savez(tmp_path / "dense.npz", X=X, y=y)
        np.savez(tmp_path / "float32.npz", X=X.astype(np.float32), y=y)
        parts = {name: getattr(S, name) for name in CSR_PARTS}
        np.savez(tmp_path / "sparse.npz", **parts, format="csr", y=y)
        dump_svmlight_file(X, y, str(tmp_path / "a.svm"))
        content = (tmp_path / "a.svm").read_bytes()
        (tmp_path / "a.libsvm.gz").write_bytes(gzip.compress(content))
        (tmp_path / "a.txt.bz2").write_bytes(bz2.compress(content))
        frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=y)
        frame.to_csv(tmp_path / "a.csv", index=False)
        frame.to_csv(tmp_path / "mark.csv", index=False, encoding="utf-8-sig")
        frame.to_csv(tmp_path / "counted.csv")  # a column without a name
        expected = report(tmp_path / "dense.npz", "--raw")["results"]
        for name in ("float32.npz", "sparse.npz", "a.svm", "a.libsvm.gz", "a.txt.bz2"):
            found = report(tmp_path / name, "--raw")["results"]
            assert (
                found[0]["runs"]["labels_bought"]
                == expected[0]["runs"]["labels_bought"]
            )
            np.testing.assert_allclose(
                found[0]["runs"]["errors"], expected[0]["runs"]["errors"]
            )
        for name in ("a.csv", "mark.csv", "counted.csv"):
            target = ["--target", "kind"]
            assert report(tmp_path / name, "--raw", *target)["results"] == expected
            scaled = report(tmp_path / name, *target)["results"]
            np.testing.assert_allclose(
                scaled[0]["runs"]["errors"],
                report(tmp_path / "dense.npz")["results"][0]["runs"]["errors"],
            )

    def test_bools_and_integers_become_floats(self, tmp_path, report):
        X, y = (part[::2] for part in load_iris(return_X_y=True))
        np.savez(tmp_path / "a.npz", X=X > 2, y=y)
        np.savez(tmp_path / "b.npz", X=(X > 2).astype(np.int8), y=y)
        assert report(tmp_path / "a.npz") == report(tmp_path / "b.npz")


@pytest.mark.parametrize("name", ["a.npz", "a.csv", "a.svm", "a.txt.gz"])
class TestNoPlainFile:
    def refuse(self, path, refused, words="no folder, pipe or device"):
        options = ["--target", "kind"] if path.suffix == ".csv" else []
        assert words in refused(path, *options)

    def test_missing(self, name, tmp_path, refused):
        self.refuse(tmp_path / name, refused, "No such file")

    def test_folder(self, name, tmp_path, refused):
        (tmp_path / name).mkdir()
        self.refuse(tmp_path / name, refused)

    @pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
    def test_link_to_a_device(self, name, tmp_path, refused):
        (tmp_path / name).symlink_to("/dev/zero")
        self.refuse(tmp_path / name, refused)

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
    def test_pipe(self, name, tmp_path, refused):
        os.mkfifo(tmp_path / name)
        self.refuse(tmp_path / name, refused)
