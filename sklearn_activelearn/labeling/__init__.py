"""Labelling for real: sessions in a file that outlives the process."""

from ._export import export
from ._session import LabelingSession

__all__ = ["LabelingSession", "export"]
