"""Types of arguments and results, as readers of signatures need them.

Labels and row numbers are `numpy.typing.ArrayLike`. Rows may also be sparse matrices,
DataFrames, texts, dask arrays or parquet files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.integer[Any]]
RowNumbers: TypeAlias = NDArray[np.int64]
#: Labels and names of any type.
Labels: TypeAlias = NDArray[Any]

FilePath: TypeAlias = str | PathLike[str]
Seed: TypeAlias = int | np.random.RandomState | None
Scoring: TypeAlias = str | Callable[..., Any]
#: One measure, or several with their names.
Scorings: TypeAlias = Scoring | Sequence[Scoring] | Mapping[str, Scoring]
ParamGrid: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]]


#: Arrays, sparse matrices, DataFrames, lists, and sources of rows.
RowsLike: TypeAlias = Any

Oracle: TypeAlias = Callable[[RowNumbers], ArrayLike]

#: Objects with the interface of scikit-learn; an estimator may be a learner, or a
#: pipeline that ends in one.
Estimator: TypeAlias = Any
Classifier: TypeAlias = Any
Transformer: TypeAlias = Any
Splitter: TypeAlias = Any

CV: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
Embedding: TypeAlias = Transformer | Callable[[Any], Any]
#: The same, or the name or folder of a model.
ItemEmbedding: TypeAlias = Embedding | FilePath
Estimators: TypeAlias = Sequence[tuple[str, Classifier]]
Initial: TypeAlias = (
    Literal["random", "herding", "mixed"] | Callable[[Any], ArrayLike] | RowsLike
)
#: Name of a stopping rule, a `StoppingRule`, or a list of them.
Stopping: TypeAlias = Any

#: The id and the label of a row, as a session stores them.
Id: TypeAlias = str | int
Label: TypeAlias = str | int | float | bool
Ids: TypeAlias = Sequence[Id]
#: Parts of a session that may differ when it is opened again.
Change: TypeAlias = Literal[
    "pool", "features", "classes", "tags", "test_size", "votes", "learner"
]
Classes: TypeAlias = Sequence[Label]

Method = TypeVar("Method", bound=Callable[..., Any])
