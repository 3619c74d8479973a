"""Labelling for real: sessions in a file that outlives the process."""

from ._export import export
from ._model_files import load_model, save_model
from ._session import LabelingSession

__all__ = ["LabelingSession", "export", "load_model", "save_model"]
