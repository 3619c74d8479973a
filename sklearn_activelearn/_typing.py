"""Types of what users pass and get. Type checkers read them; nothing checks them here.

`numpy.typing.ArrayLike` does for labels and row numbers. Rows may be more than that:
sparse matrices, DataFrames, texts, dask arrays, parquet files.
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
    overload,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._base import ActiveClassifier

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.integer[Any]]
RowNumbers: TypeAlias = NDArray[np.int64]
#: Labels and names, whatever they are made of.
Labels: TypeAlias = NDArray[Any]

FilePath: TypeAlias = str | PathLike[str]
Seed: TypeAlias = int | np.random.RandomState | None
Scoring: TypeAlias = str | Callable[..., Any]
#: One measure or several, by their names.
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
    """What can be fitted: a learner, or a pipeline that ends in one."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def set_params(self, **params: Any) -> Any: ...


class Classifier(Protocol):
    """A classifier of scikit-learn, or one that looks like it."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def predict(self, X: Any, /) -> Any: ...


class Transformer(Protocol):
    """What turns rows into points."""

    def fit(self, X: Any, /) -> Any: ...

    def transform(self, X: Any, /) -> Any: ...


class Splitter(Protocol):
    """What divides rows for cross-validation."""

    def split(self, X: Any, y: Any = ..., groups: Any = ...) -> Iterable[Any]: ...


class HasJudge(Protocol):
    """What looks like a `sklearn_activelearn.pool.StoppingRule`."""

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

#: The name of a row, and the label of one, as a session stores them.
Id: TypeAlias = str | int
Label: TypeAlias = str | int | float | bool
Ids: TypeAlias = Sequence[Id]
#: What may differ when a session is opened again.
Change: TypeAlias = Literal[
    "pool", "features", "classes", "test_size", "votes", "learner"
]
Classes: TypeAlias = Sequence[Label]

LearnerT = TypeVar("LearnerT", bound="ActiveClassifier")
EstimatorT = TypeVar("EstimatorT", bound=Estimator)

Method = TypeVar("Method", bound=Callable[..., Any])
Signature = TypeVar("Signature")


def typed_as(signature: type[Signature]) -> Callable[[Any], Signature]:
    """Have type checkers take a method for what overloads say of it."""
    return lambda method: method


class Query(Protocol):
    """`query` of a learner: what it returns depends on what is asked for."""

    @overload
    def __call__(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: Literal[False] = False,
        ids: ArrayLike | None = None,
    ) -> RowNumbers: ...
    @overload
    def __call__(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: Literal[True],
        ids: ArrayLike | None = None,
    ) -> tuple[RowNumbers, Floats]: ...


class PoolQuery(Protocol):
    """`query` of a pool learner, which can also return utilities."""

    @overload
    def __call__(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: Literal[False] = False,
        return_utility: Literal[False] = False,
        ids: ArrayLike | None = None,
    ) -> RowNumbers: ...
    @overload
    def __call__(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: Literal[True],
        return_utility: Literal[False] = False,
        ids: ArrayLike | None = None,
    ) -> tuple[RowNumbers, Floats]: ...
    @overload
    def __call__(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: Literal[False] = False,
        return_utility: Literal[True],
        ids: ArrayLike | None = None,
    ) -> tuple[RowNumbers, Floats]: ...
    @overload
    def __call__(
        self,
        X: RowsLike,
        *,
        candidates: ArrayLike | None = None,
        exclude: ArrayLike | None = None,
        limit: int | None = None,
        return_probability: Literal[True],
        return_utility: Literal[True],
        ids: ArrayLike | None = None,
    ) -> tuple[RowNumbers, Floats, Floats]: ...
