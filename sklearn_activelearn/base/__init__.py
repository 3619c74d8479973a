"""The base of all learners: verbs, transactions, labels, validation, scores.

Other rooms import from the modules; front ends import only the names below.
"""

# ruff: noqa: F401
from ._labels import check_classes, is_missing_label
from ._parameters import (
    check_budget,
    check_flags,
    check_number,
    check_option,
    is_count,
    is_whole,
)
from ._scores import KnownPredictions
from ._transaction import shallow_copy
from ._validation import check_sparse_rows
from ._verbs import ActiveClassifier
