# Base classes of custom compiled rules.

from ._rules cimport Clock, QueryRule, UpdateRule
