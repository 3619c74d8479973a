# scikit-learn ships no types: to a type checker all that is inherited from it is Any,
# and a misspelt method of a learner would pass. Here is what learners have of it.
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ._typing import (
    CV,
    Estimator,
    Floats,
    Labels,
    Method,
    ParamGrid,
    RowsLike,
    Scoring,
)

CALLBACK_ATTRIBUTES: tuple[str, ...]
STANDARD_SCORER: type

class BaseEstimator:
    n_features_in_: int
    feature_names_in_: Labels
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...

class BaseComposition(BaseEstimator):
    def _get_params(self, attr: str, deep: bool = True) -> dict[str, Any]: ...
    def _set_params(self, attr: str, **params: Any) -> Self: ...
    def _validate_names(self, names: list[str]) -> None: ...

class ClassifierMixin:
    classes_: Labels
    def predict(self, X: RowsLike) -> Labels: ...
    def score(
        self, X: RowsLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float: ...
    # scikit-learn makes those that the methods of a class have use for
    def set_fit_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...
    def set_partial_fit_request(self, *, classes: bool | str | None = ...) -> Self: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class CallbackSupportMixin:
    def set_callbacks(self, *callbacks: Any) -> Self: ...

class GridSearchCV(BaseEstimator):
    best_estimator_: Any
    best_index_: int | np.integer[Any]
    best_params_: dict[str, Any]
    best_score_: float
    classes_: Labels
    cv_results_: dict[str, Any]
    multimetric_: bool
    n_splits_: int
    refit_time_: float
    scorer_: Any
    def __init__(
        self,
        estimator: Estimator,
        param_grid: ParamGrid,
        *,
        scoring: Scoring | Iterable[str] | Mapping[str, Scoring] | None = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., Any] = True,
        cv: CV | None = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: float | Literal["raise"] = ...,
        return_train_score: bool = False,
    ) -> None: ...
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self: ...
    def score(
        self, X: RowsLike, y: ArrayLike | None = None, **params: Any
    ) -> float: ...
    def predict(self, X: RowsLike) -> Labels: ...
    def predict_proba(self, X: RowsLike) -> Floats: ...
    def predict_log_proba(self, X: RowsLike) -> Floats: ...
    def decision_function(self, X: RowsLike) -> Floats: ...
    def score_samples(self, X: RowsLike) -> Floats: ...
    def transform(self, X: RowsLike) -> Any: ...
    def inverse_transform(self, X: RowsLike) -> Any: ...

def available_if(check: Callable[[Any], Any]) -> Callable[[Method], Method]: ...
def with_callbacks(fit: Method) -> Method: ...
