"""Types of arguments and results, as readers of signatures need them.

Labels and row numbers are `numpy.typing.ArrayLike`. Rows may also be sparse matrices,
DataFrames, texts, dask arrays or parquet files.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from os import PathLike
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._base import ActiveClassifier

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


class HasShape(Protocol):
    """Sparse matrices, which have no length."""

    @property
    def shape(self) -> tuple[Any, ...]: ...


class HasSchema(Protocol):
    """Datasets of pyarrow."""

    @property
    def schema(self) -> Any: ...


RowsLike: TypeAlias = Sized | HasShape | HasSchema

Oracle: TypeAlias = Callable[[RowNumbers], ArrayLike]


class Estimator(Protocol):
    """A learner, or a pipeline that ends in one."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def set_params(self, **params: Any) -> Any: ...


class Classifier(Protocol):
    """A classifier with the interface of scikit-learn."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def predict(self, X: Any, /) -> Any: ...


class Transformer(Protocol):
    """A transformer with the interface of scikit-learn."""

    def fit(self, X: Any, /) -> Any: ...

    def transform(self, X: Any, /) -> Any: ...


class Splitter(Protocol):
    """A splitter for cross-validation with the interface of scikit-learn."""

    def split(self, X: Any, y: Any = ..., groups: Any = ...) -> Iterable[Any]: ...


class HasJudge(Protocol):
    """An object with the methods of `sklearn_activelearn.pool.StoppingRule`."""

    @property
    def needs(self) -> tuple[str, ...]: ...

    def check(self) -> None: ...

    def judge(self, progress: Any, memory: Any) -> tuple[bool, Any]: ...


CV: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]]
Embedding: TypeAlias = Transformer | Callable[[Any], Any]
Estimators: TypeAlias = Sequence[tuple[str, Classifier]]
Initial: TypeAlias = (
    Literal["random", "herding", "mixed"]
    | Callable[[Any], ArrayLike]
    | HasShape
    | list[Any]
)
Stopping: TypeAlias = str | HasJudge | Sequence[str | HasJudge]

#: The id and the label of a row, as a session stores them.
Id: TypeAlias = str | int
Label: TypeAlias = str | int | float | bool
Ids: TypeAlias = Sequence[Id]
#: Parts of a session that may differ when it is opened again.
Change: TypeAlias = Literal[
    "pool", "features", "classes", "test_size", "votes", "learner"
]
Classes: TypeAlias = Sequence[Label]

LearnerT = TypeVar("LearnerT", bound="ActiveClassifier")
EstimatorT = TypeVar("EstimatorT", bound=Estimator)

Method = TypeVar("Method", bound=Callable[..., Any])
