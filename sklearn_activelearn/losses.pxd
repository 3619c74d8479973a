# What a compiled loss of your own is a subclass of.

from ._margin_loss cimport MarginLoss
