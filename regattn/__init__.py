"""Regression is attention: one weighted average, from least squares to transformers.

The mechanism is here; what builds queries, keys and values for it has rooms of its own: :mod:`regattn.regression`,
:mod:`regattn.series`, :mod:`regattn.words`, :mod:`regattn.grammar`, :mod:`regattn.transformer`. Everything is loaded
when it is first used.

>>> import regattn
>>> regattn.attend([[1.0]], [[1.0], [1.0]], [2.0, 4.0])
array([3.])
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
