"""Labelling sessions in a file that outlives the process."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # imported on demand: the page answers before the rest is imported
    from ._export import export, recover_labels
    from ._saved_models import load_model, save_model
    from ._session import LabelingSession

__all__ = ["LabelingSession", "export", "load_model", "recover_labels", "save_model"]

_MODULES = {
    "LabelingSession": "_session",
    "export": "_export",
    "load_model": "_saved_models",
    "recover_labels": "_export",
    "save_model": "_saved_models",
}


if not TYPE_CHECKING:  # a type checker would accept every name

    def __getattr__(name):
        """Import a public name when it is first used."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(f".{_MODULES[name]}", __name__)
        return globals().setdefault(name, getattr(module, name))
