"""Series: what happened before as inputs, and forecasts judged without looking ahead."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
