"""Results as plain values: JSON there and back, and DataFrames."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Self

import numpy as np


class Result:
    """A frozen dataclass of numbers, strings and arrays that can be written down.

    JSON knows neither NaN nor infinity: they become null, and come back as what the
    metadata of the field calls "null", NaN unless it says so.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as lists and numbers, None for NaN and infinity."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def to_json(self) -> str:
        """Return the fields as JSON, which `from_json` reads again."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the result that `to_dict` took apart."""
        known = [f for f in fields(cls) if f.name in values]
        return cls(**{f.name: restored(values[f.name], f) for f in known})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the result that `to_json` wrote."""
        return cls.from_dict(json.loads(text))


def plain(value):
    """Return arrays as lists, and None for what JSON does not know."""
    if isinstance(value, Result):
        return value.to_dict()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic | float):
        array = np.asarray(value)
        if array.dtype.kind == "f":
            array = np.where(np.isfinite(array), array.astype(object), None)
        return array.tolist()
    return value if isinstance(value, str | int | None) else repr(value)


def restored(value, field):
    """Return a value of that field as it was before `plain`."""
    null = field.metadata.get("null", np.nan)
    if field.type is np.ndarray:
        return np.array(with_nulls(value, null))
    return null if value is None and field.type is float else value


def with_nulls(value, null):
    """Return nested lists with None replaced."""
    if isinstance(value, list):
        return [with_nulls(item, null) for item in value]
    return null if value is None else value


def frame(columns):
    """Return a pandas DataFrame, or say how to get pandas."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame needs pandas: pip install pandas") from error
    return pd.DataFrame(columns)
