"""Regression is attention: one weighted average, from least squares to transformers.

The mechanism is here; what builds queries, keys and values for it has rooms of its own: :mod:`regattn.regression`,
:mod:`regattn.series`, :mod:`regattn.words`, :mod:`regattn.grammar`, :mod:`regattn.transformer`. Of other libraries'
models :mod:`regattn.attribution` says whom they listen to. Everything is loaded when it is first used, and names the
extra that it needs where that is not installed.

>>> import regattn
>>> regattn.attend([[1.0]], [[1.0], [1.0]], [2.0, 4.0])
array([3.])
"""

from regattn._extras import attach

__version__ = "1.0.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__)
