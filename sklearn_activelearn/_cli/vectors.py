"""Vectors of rows: from an encoder, kept beside the session, or from a file."""

import atexit
import hashlib
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import monotonic

import numpy as np

from ..preprocessing._embeddings import load_encoder, vectors_of
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
    path = None
    if args.out is not None and not args.rehearse:
        path = args.out.with_name(f"{args.out.name}.vectors")
        before = stored_encoder(path) if args.out.exists() else None
        encoder = args.encoder and fingerprint_of(args.encoder)
        if before and encoder != before[0] and "features" not in args.change:
            raise UsageError(
                f"--encoder: the session {args.out} has the vectors of {before[1]!r}, "
                f"now it is {args.encoder!r}. Repeat --encoder of the first call, or "
                "accept other numbers with --change features"
            )
    return None if args.encoder is None else CachedEncoder(args.encoder, path)


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
    """Return identity and name of the encoder of a file of vectors, or None."""
    if not path.exists():
        return None
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT identity, name FROM encoder").fetchone()


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
        self.name, self.path = name, path
        self.identity = fingerprint_of(name)
        self.n_encoded, self._start, self._shown = 0, monotonic(), False
        if path is not None:
            with closing(sqlite3.connect(path)) as db, db:
                db.executescript(
                    "CREATE TABLE IF NOT EXISTS encoder (identity, name);"
                    "CREATE TABLE IF NOT EXISTS vectors (key PRIMARY KEY, vector);"
                    "DELETE FROM encoder"
                )
                db.execute("INSERT INTO encoder VALUES (?, ?)", (self.identity, name))

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
        with closing(sqlite3.connect(self.path)) as db:
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
        with closing(sqlite3.connect(self.path)) as db, db:
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


def read_features(path, id_column, ids):
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

    Returns
    -------
    vectors : list of ndarray
        One for each row.
    """
    try:
        if path.suffix.lower() == ".npy":
            vectors = np.load(path, allow_pickle=False)
        else:
            vectors = read_feature_table(path, id_column, ids)
    except (OSError, ValueError) as error:
        raise UsageError(f"--features: {path}: {error}") from error
    if vectors.ndim != 2 or not vectors.shape[1] or vectors.dtype.kind not in "fiub":
        raise UsageError(
            f"--features: {path} has an array of shape {vectors.shape} of "
            f"{vectors.dtype}; a matrix of numbers is needed, a row for each row"
        )
    if len(vectors) != len(ids):
        raise UsageError(
            f"--features: {path} has {len(vectors):,} rows, and the file of rows "
            f"{len(ids):,}"
        )
    is_wrong = ~np.isfinite(vectors).all(axis=1)
    if is_wrong.any():
        row = ids[int(is_wrong.argmax())]
        raise UsageError(
            f"--features: {path}: the vector of row {row} is not finite (NaN or inf)"
        )
    return [*vectors.astype(np.float64)]


def read_feature_table(path, id_column, ids):
    """Return the vectors of a table by the names of its rows."""
    import pandas as pd

    if path.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError("vectors are read from .npy, .parquet or .csv.")
    is_csv = path.suffix.lower() == ".csv"
    if id_column is None:
        raise ValueError("which column has the names of the rows? (--id)")
    names = {id_column: str} if is_csv else None
    table = pd.read_csv(path, dtype=names) if is_csv else pd.read_parquet(path)
    if id_column not in table.columns:
        raise ValueError(f"it has no column {id_column!r}, which --id names.")
    table = table.set_index(table.pop(id_column).astype(str).str.strip())
    if table.index.has_duplicates:
        twice = table.index[table.index.duplicated()][0]
        raise ValueError(f"two rows have the name {twice!r}.")
    missing = [each for each in ids if str(each) not in table.index]
    if missing:
        raise ValueError(
            f"{len(missing):,} rows have no vector there, such as {missing[0]!r}."
        )
    table = table.loc[[str(each) for each in ids]]
    if table.shape[1] == 1 and table.dtypes.iloc[0].kind == "O":
        lengths = {np.size(cell) for cell in table.iloc[:, 0]}
        if len(lengths) > 1:
            raise ValueError(
                f"the vectors have {min(lengths)} to {max(lengths)} numbers."
            )
        return np.stack([np.ravel(cell) for cell in table.iloc[:, 0]])
    words = [name for name in table if table[name].dtype.kind not in "fiub"]
    if words:
        raise ValueError(f"the column {words[0]!r} has no numbers.")
    return table.to_numpy(dtype=np.float64)
