"""Labelling for real: sessions in a file that outlives the process, and what shows them."""

from ._export import export
from ._session import LabelingSession

__all__ = ["LabelingSession", "export"]
