"""Boosting learners: one cost, the steps that lower it, committees that vote."""

from ._assl import ASSLBoostClassifier, SSMarginBoostClassifier
from ._comb import COMBClassifier
from ._fassl import FASSLBoostClassifier
from ._query_by_boosting import QueryByBoostingClassifier

__all__ = [
    "ASSLBoostClassifier",
    "COMBClassifier",
    "FASSLBoostClassifier",
    "QueryByBoostingClassifier",
    "SSMarginBoostClassifier",
]
