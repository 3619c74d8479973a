"""Files that are damaged, or made to do harm: one sentence, and little memory."""

import gzip
import io
import os
import zipfile
from time import perf_counter

import numpy as np
import pytest
from numpy.lib import format as npy
from scipy.sparse import csr_array

from sklearn_activelearn.__main__ import main
from sklearn_activelearn._cli import arrays
from sklearn_activelearn._cli.labelled_data import read_labelled
from sklearn_activelearn._tables import limits

LABELS = np.array([0, 1] * 5)
CSR = csr_array(np.eye(10))


@pytest.fixture
def refused(capsys):
    """Run with a file that must be refused in one line; return that line."""

    def run(path, *options):
        assert main(["compare", "--data", str(path), *options]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        first, last = err.splitlines()
        assert first == f"reading {path}"
        assert last.startswith(f"sklearn-activelearn: error: {path}: ")
        assert len(last) < 500
        return last

    return run


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(limits, "ROOM", 10**6)


def npy_file(shape=(10, 1), descr="<f8", data=bytes(80)):
    file = io.BytesIO()
    header = {"shape": shape, "fortran_order": False, "descr": descr}
    npy.write_array_header_1_0(file, header)
    return file.getvalue() + data


def npy_with(header, version=b"\1\0"):
    size = len(header).to_bytes(2 if version == b"\1\0" else 4, "little")
    return npy.MAGIC_PREFIX + version + size + header + bytes(80)


def zipped(X=None, compression=zipfile.ZIP_STORED):
    """Return an archive whose X is these bytes."""
    labels, content = io.BytesIO(), io.BytesIO()
    np.save(labels, LABELS)
    with zipfile.ZipFile(content, "w", compression) as archive:
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

BAD_NPZ = {
    "huge shape": (zipped(npy_file((10**12, 10))), "X.npy has 80 bytes, not those of"),
    "2**64 rows": (zipped(npy_file((2**64, 1))), "X.npy has 80 bytes, not those of"),
    "2**64 columns": (zipped(npy_file((0, 2**64), data=b"")), "plain arrays"),
    "negative": (zipped(npy_file((-1, -10))), "the impossible shape (-1, -10)"),
    "bool": (zipped(npy_file((True, 10))), "the impossible shape (True, 10)"),
    "empty strings": (zipped(npy_file((10**15,), "<U0", b"")), "8,000,000.0 GB"),
    "objects": (zipped(npy_file(descr="|O")), "X.npy holds Python objects"),
    "signs": (zipped(npy_with(HEADER % (b"-" * 9000 + b"1,"))), "plain arrays"),
    "open string": (zipped(npy_with(b"{'descr': '''<f8, \n")), "plain arrays"),
    "brackets": (zipped(npy_with(b"(" * 5000)), "plain arrays"),
    "version": (zipped(npy_with(b"", b"\3\0")), "in version (3, 0) of NumPy's format"),
    "no array": (zipped(b"to be or not to be"), "magic string is not correct"),
    "nothing": (zipped(b""), "EOF"),
    "deep type": (
        zipped(npy_file(descr=[("a" * 300, [("b" * 300, "<f8")])])),
        "must be a table of numbers, not 2-D of [('aaa",
    ),
    "encrypted": (patched(6, 1), "'X.npy' is encrypted"),
    "strongly encrypted": (patched(6, 65), "strong encryption"),
    "unknown method": (patched(8, 99), "X.npy is packed by a method"),
    "LZMA": (zipped(compression=zipfile.ZIP_LZMA), "X.npy is packed by a method"),
    "zip version": (patched(4, 255), "zip file version 25.5"),
    "cut off": (zipped()[:-30], "only the beginning of one"),
    "hole": (zipped()[:50] + zipped()[80:], "no archive of plain arrays"),
}

BAD_CSR = {
    "2**64 rows": ("shape", np.array([2**64 - 1, 10], np.uint64), "integers from 0"),
    "2**64 columns": ("shape", np.array([10, 2**64 - 1], np.uint64), "integers from 0"),
    "negative shape": ("shape", [-10, 10], "integers from 0"),
    "huge columns": ("shape", [10, 2**62], "weights of 4611686018427387904 features"),
    "bool shape": ("shape", [True, True], "integers from 0"),
    "2**63 index": ("indices", np.full(10, 2**63, np.uint64), "integers from 0"),
    "floats": ("indptr", np.arange(11.0), "integers from 0"),
    "negative end": ("indptr", [*range(10), -1], "integers from 0"),
    "2**64 end": ("indptr", np.array([*range(10), 2**64 - 1], np.uint64), "from 0"),
    "format": ("format", "x" * 10**5, "the sparse format is xxx"),
}


class TestArchive:
    @pytest.mark.parametrize("case", BAD_NPZ)
    def test_damaged(self, case, tmp_path, refused):
        content, message = BAD_NPZ[case]
        path = tmp_path / "bad.npz"
        path.write_bytes(content)
        assert message in refused(path)

    @pytest.mark.parametrize("case", BAD_CSR)
    def test_damaged_csr_parts(self, case, tmp_path, refused):
        part, value, message = BAD_CSR[case]
        parts = {name: getattr(CSR, name) for name in arrays.CSR_PARTS}
        np.savez(tmp_path / "bad.npz", **{**parts, "y": LABELS, part: value})
        assert message in refused(tmp_path / "bad.npz")

    @pytest.mark.usefixtures("little_memory")
    def test_bomb(self, tmp_path, refused):
        path = tmp_path / "bad.npz"
        np.savez_compressed(path, X=np.zeros((1000, 200)), y=np.zeros(1000))
        assert "the unpacked arrays would take 0.0 GB" in refused(path)
        np.savez_compressed(path, X=np.zeros((1000, 200), "?"), y=np.zeros(1000))
        assert "as numbers of 8 bytes" in refused(path)

    def test_size_that_is_not_true(self, tmp_path, refused):
        path = tmp_path / "bad.npz"
        path.write_bytes(patched(22, 2**32 - 2, 4))
        assert any(words in refused(path) for words in ("not those of", "would take"))

    def test_many_names(self, tmp_path, refused):
        np.savez(tmp_path / "bad.npz", **{f"part{i}": 0 for i in range(200)})
        assert "part19 …; needed are X and y" in refused(tmp_path / "bad.npz")

    def test_header_of_python_2(self, tmp_path):
        path = tmp_path / "old.npz"
        path.write_bytes(zipped(npy_with(HEADER % b"10L, 1L")))
        assert read_labelled(path).X.shape == (10, 1)


class TestText:
    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ("2147483647:1", "the weights of 2147483647 features for 2 classes would"),
            (f"1:{'x' * 10**4}", "line 2 is not in svmlight format: could not convert"),
        ],
    )
    def test_entry(self, entry, message, tmp_path, refused):
        path = tmp_path / "bad.svm"
        path.write_text(f"1 1:1\n-1 {entry}\n" * 5)
        assert message in refused(path)

    def test_columns_that_fit_and_one_more(self, tmp_path, refused, monkeypatch):
        path = tmp_path / "wide.svm"
        monkeypatch.setattr(limits, "ROOM", 64 * 2 * 1000)
        path.write_text("1 1:1\n-1 1000:1\n")
        assert read_labelled(path).X.shape == (2, 1000)
        path.write_text("1 1:1\n-1 1001:1\n")
        assert "the weights of 1001 features" in refused(path)

    def test_a_file_with_a_bad_line_is_read_once(self, tmp_path, refused, monkeypatch):
        path, load, calls = tmp_path / "a.svm.gz", arrays.load_svmlight_file, []
        path.write_bytes(gzip.compress(b"1 1:2\n" * 999 + b"x\n" + b"1 1:2\n" * 999))

        def counted(*args, **kwargs):
            calls.append(args)
            return load(*args, **kwargs)

        monkeypatch.setattr(arrays, "load_svmlight_file", counted)
        assert "line 1000 is not in svmlight format" in refused(path)
        assert len(calls) == 1

    @pytest.mark.usefixtures("little_memory")
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"1 1:1 2:1 3:1 4:1\n" * 10**5, "up to line 7813"),
            (b"#" * 10**5 + b"\n" + b"# nothing\n" * 10**6, "what stands up to line"),
            (b"1 1:1\n-1 2:1\n" + b"1" * 10**8, "line 3 is longer than 999"),
        ],
    )
    def test_packed_bomb(self, content, message, tmp_path, refused, monkeypatch):
        monkeypatch.setattr(limits, "LONGEST_LINE", 10**6)
        (tmp_path / "bad.svm.gz").write_bytes(gzip.compress(content))
        assert message in refused(tmp_path / "bad.svm.gz")

    @pytest.mark.usefixtures("little_memory")
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("kind,a\n" + "x,1\n" * 10**5, "what stands up to line 7813"),
            ("kind,a\n" + "x,1\n" * 10**3 + "y" * 900 + ",1\n", "up to 900 characters"),
            ("kind,a\nx," + "1" * 10**4, "line 2 is longer than 999 characters"),
            ("kind,a\n" + " " * 10**6, "the file would take"),
            ("\ufeff", "the first line names no columns"),
        ],
    )
    def test_csv(self, content, message, tmp_path, refused, monkeypatch):
        monkeypatch.setattr(limits, "LONGEST_LINE", 10**3)
        (tmp_path / "bad.csv").write_text(content, encoding="utf-8")
        assert message in refused(tmp_path / "bad.csv", "--target", "kind")

    def test_header_of_many_columns(self, tmp_path):
        names = [f"a{i}" for i in range(50_000)]  # not each is sought among all
        path = tmp_path / "wide.csv"
        rows = "x" + ",1" * len(names), "y" + ",2" * len(names)
        path.write_text("\n".join([f"kind,{','.join(names)}", *rows]))
        start = perf_counter()
        assert read_labelled(path, "kind").X.shape == (2, 50_000)
        assert perf_counter() - start < 10


@pytest.mark.parametrize("name", ["a.npz", "a.csv", "a.svm", "a.txt.gz"])
class TestNoPlainFile:
    def refuse(self, path, refused):
        options = ["--target", "kind"] if path.suffix == ".csv" else []
        assert "no folder, pipe or device" in refused(path, *options)

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
