"""What a test of a finished model is made of."""

from .active_test import ActiveTest

__all__ = ["ActiveTest"]
