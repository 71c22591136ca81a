"""Series: what happened before as inputs, and forecasts judged without looking ahead."""

from regattn._extras import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, "torch", "data")
