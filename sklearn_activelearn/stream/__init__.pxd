# What a compiled rule of your own is a subclass of.

from ._rule_base cimport Clock, QueryRule, UpdateRule
