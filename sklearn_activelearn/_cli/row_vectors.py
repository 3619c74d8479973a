"""Vectors of rows: from an encoder, kept beside the session, or from a file."""

import atexit
import csv
import hashlib
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

import numpy as np

from ..preprocessing import check_package, list_columns, load_encoder, vectors_of
from .options import UsageError, tell

#: Files of a folder that decide on the vectors of a model.
WEIGHTS = ("*.safetensors", "*.bin", "*.onnx", "*.npy", "*.json", "*.txt", "*.model")

#: Progress is shown when encoding has taken this number of seconds.
PATIENCE = 2.0


def open_encoder(args):
    """Return the encoder of ``--encoder``, None without one.

    Raises
    ------
    UsageError
        If the session of ``--out`` has the vectors of another encoder.
    """
    path = vectors_beside(args)
    encoder = None if args.encoder is None else CachedEncoder(args.encoder, path)
    if path is not None and args.out.exists() and "features" not in args.change:
        identity, name = stored_encoder(path)
        if identity != (encoder and encoder.identity):
            now = "is none" if encoder is None else f"is {args.encoder!r}"
            before = f"the vectors of {name!r}" if identity else "no --encoder"
            raise UsageError(
                f"--encoder: the session {args.out} was made with {before}, now there "
                f"{now}. Repeat the options of the first call, or accept other "
                "numbers with --change features"
            )
    return encoder


def vectors_beside(args):
    """Return the path of the file of vectors of a session, None for no session."""
    if args.out is None or args.rehearse:
        return None
    return args.out.with_name(f"{args.out.name}.vectors")


def keep_encoder(args):
    """Store which encoder a session has, once it has been opened with its vectors."""
    path = vectors_beside(args)
    if path is None or (args.encoder is None and not path.exists()):
        return
    with open_vectors(path) as db:
        db.execute("DELETE FROM encoder")
        if args.encoder is not None:
            row = fingerprint_of(args.encoder), args.encoder
            db.execute("INSERT INTO encoder VALUES (?, ?)", row)


@contextmanager
def open_vectors(path):
    """Yield the database of a file of vectors, which is made if it is not there."""
    try:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE IF NOT EXISTS encoder (identity, name)")
            db.execute("CREATE TABLE IF NOT EXISTS vectors (key PRIMARY KEY, vector)")
            yield db
    except sqlite3.Error as error:
        raise UsageError(
            f"{path}: {error}. It only keeps vectors: if it is damaged, delete it, and "
            "texts are encoded again"
        ) from error


def encode_once(args, columns):
    """Return the encoder of ``compare --encoder``, which has encoded all texts.

    The processes of the runs find the vectors in a file: of ``--cache``, or one that is
    deleted at the end.
    """
    folder = args.cache
    if folder is None:
        folder = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    encoder = CachedEncoder(args.encoder, folder / "vectors.sqlite")
    for texts in columns:
        vectors_of(encoder, list(texts), "text")
    encoder.end()
    return encoder


def stored_encoder(path):
    """Return identity and name of the encoder of a file of vectors, or two None."""
    if not path.exists():
        return None, None
    with open_vectors(path) as db:
        return db.execute("SELECT * FROM encoder").fetchone() or (None, None)


class CachedEncoder:
    """A named encoder of texts whose vectors are kept in a file.

    Parameters
    ----------
    name : str
        Name or folder of a model.
    path : Path or None, default=None
        The file, beside the session. None: nothing is kept.

    Attributes
    ----------
    n_encoded : int
        Number of texts that were encoded, and not found in the file.
    """

    def __init__(self, name, path=None):
        if not name:
            raise UsageError("--encoder: the name is empty")
        self.name, self.path = name, path
        self.identity = fingerprint_of(name)
        self.n_encoded, self._start, self._shown = 0, monotonic(), False

    def __deepcopy__(self, memo):
        """Return itself: a cloned transformer shares the file and the progress."""
        return self

    def __getstate__(self):
        """Leave the progress out: runs that are kept have the same encoder later."""
        return vars(self) | {"n_encoded": 0, "_start": 0.0, "_shown": True}

    def __call__(self, texts):
        """Return the vectors of texts."""
        keys = [self._key(text) for text in texts]
        found = self._read(keys)
        missing = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in found
        }
        if missing:
            vectors = np.asarray(load_encoder(self.name)([*missing.values()]))
            if vectors.ndim != 2 or len(vectors) != len(missing):
                return vectors  # the caller says what is wrong
            new = dict(zip(missing, vectors.astype(np.float32), strict=True))
            if np.isfinite(vectors).all():  # else the caller refuses them
                self._write(new)
            found |= new
            self._show(len(new))
        return np.array([found[key] for key in keys])

    def _key(self, text):
        content = f"{self.identity}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).digest()

    def _read(self, keys):
        if self.path is None:
            return {}
        query = "SELECT vector FROM vectors WHERE key = ?"
        with open_vectors(self.path) as db:
            rows = {key: db.execute(query, (key,)).fetchone() for key in keys}
        return {
            key: np.frombuffer(row[0], dtype=np.float32)
            for key, row in rows.items()
            if row
        }

    def _write(self, vectors):
        if self.path is None:
            return
        rows = [(key, vector.tobytes()) for key, vector in vectors.items()]
        with open_vectors(self.path) as db:
            db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def _show(self, n_new):
        self.n_encoded += n_new
        if monotonic() - self._start < PATIENCE:
            return
        if sys.stderr.isatty():
            print(f"\r\033[Kencoded {self.n_encoded:,} texts", end="",
                  file=sys.stderr, flush=True)  # fmt: skip
        elif not self._shown:
            tell(f"encoding texts with {self.name}")
        self._shown = True

    def end(self):
        """End the line of the progress."""
        if self._shown:
            start = "\r\033[K" * sys.stderr.isatty()
            tell(f"{start}encoded {self.n_encoded:,} texts")


def fingerprint_of(name):
    """Return a text that differs for another encoder: of a folder, by its weights."""
    folder = Path(name)
    if not folder.is_dir():
        return name
    digest = hashlib.sha256()
    paths = sorted({path for form in WEIGHTS for path in folder.rglob(form)})
    for path in paths:
        digest.update(str(path.relative_to(folder)).encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def read_features(path, id_column, ids, rows=None, n_rows=None):
    """Return the vectors of rows from a file.

    Parameters
    ----------
    path : Path
        ``.npy``, with a row for each row of the table, in its order; or ``.parquet`` or
        ``.csv``, with the column of names.
    id_column : str or None
        The column of names of rows.
    ids : sequence
        Names of the rows.
    rows : sequence of int, default=None
        Their numbers in the file of rows, from 1, if some of them were left out.
    n_rows : int, default=None
        Number of rows of that file.

    Returns
    -------
    vectors : list of ndarray
        One for each row.
    """
    try:
        if path.suffix.lower() == ".npy":
            with path.open("rb") as file:
                vectors = np.lib.format.read_array(file, allow_pickle=False)
        else:
            vectors = read_feature_table(path, id_column, ids)
    except (OSError, ValueError, EOFError, ImportError) as error:
        raise UsageError(f"--features: {path}: {error}") from error
    if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind not in "fiub":
        raise UsageError(
            f"--features: {path} has an array of shape {vectors.shape} of "
            f"{vectors.dtype}; a matrix of numbers is needed, a row for each row"
        )
    is_by_place = path.suffix.lower() == ".npy"
    n_wanted = n_rows if is_by_place and n_rows is not None else len(ids)
    if len(vectors) != n_wanted:
        raise UsageError(
            f"--features: {path} has {len(vectors):,} rows, and the file of rows "
            f"{n_wanted:,}"
        )
    if is_by_place and rows is not None:
        vectors = vectors[np.asarray(rows) - 1]
    is_wrong = ~np.isfinite(vectors).all(axis=1)
    if is_wrong.any():
        row = ids[int(is_wrong.argmax())]
        raise UsageError(
            f"--features: {path}: the vector of row {row} is not finite (NaN or inf)"
        )
    return [*vectors.astype(np.float64)]


def check_feature_header(path):
    """Refuse a CSV whose header does not name the columns, each with another name."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.reader(file)
        header = next(rows, [])
        for row in rows:
            if row and len(row) != len(header):
                raise ValueError(
                    f"line {rows.line_num} has {len(row)} cells, and the header "
                    f"{len(header)}: name each column, also one with names of rows."
                )
    twice = [name for name in header if name and header.count(name) > 1]
    if twice:
        raise ValueError(f"the header names the column {twice[0]!r} twice.")


def read_feature_table(path, id_column, ids):
    """Return the vectors of a table by the names of its rows."""
    import pandas as pd

    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError("vectors are read from .npy, .parquet or .csv.")
    is_csv = path.suffix.lower() == ".csv"
    if id_column is None:
        raise ValueError("which column has the names of the rows? (--id)")
    check_package("pandas" if is_csv else "pyarrow", path.suffix.lower())
    if is_csv:
        check_feature_header(path)
        table = pd.read_csv(path, index_col=False)
        table = table[[name for name in table if not name.startswith("Unnamed: ")]]
    else:
        table = pd.read_parquet(path)
    if id_column not in table.columns:
        raise ValueError(
            f"it has no column {id_column!r}, which --id names. "
            f"{list_columns(table.columns)}"
        )
    names = table.pop(id_column)
    if is_csv:  # as texts, because a row may have the name NA or 007
        how = {"usecols": [id_column], "dtype": str, "keep_default_na": False}
        names = pd.read_csv(path, **how)[id_column]
    table = table.set_index(names.astype(str).str.strip())
    if table.index.has_duplicates:
        twice = table.index[table.index.duplicated()][0]
        raise ValueError(f"two rows have the name {twice!r}.")
    missing = [each for each in ids if str(each) not in table.index]
    if missing:
        raise ValueError(
            f"{len(missing):,} rows have no vector there, such as {missing[0]!r}."
        )
    table = table.loc[[str(each) for each in ids]]
    words = [name for name in table if table[name].dtype.kind not in "fiub"]
    holds_lists = [name for name in words if not isinstance(table[name].iloc[0], str)]
    if table.shape[1] == len(holds_lists) == 1:
        lengths = {np.size(cell) for cell in table.iloc[:, 0]}
        if len(lengths) > 1:
            raise ValueError(
                f"the vectors have {min(lengths)} to {max(lengths)} numbers."
            )
        return np.stack([np.ravel(cell) for cell in table.iloc[:, 0]])
    if others := [name for name in words if name not in holds_lists] or words:
        raise ValueError(f"the column {others[0]!r} has no numbers.")
    return table.to_numpy(dtype=np.float64)
