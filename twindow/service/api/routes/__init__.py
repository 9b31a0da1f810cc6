"""Routes: one module per resource, with the endpoints of the interface document and extensions."""

from __future__ import annotations

import math
import pkgutil
from importlib import import_module

from twindow.service.api.blueprint import bp, operations

__all__ = ["bp", "operations"]

for info in pkgutil.iter_modules(__path__):
    import_module(f"{__name__}.{info.name}")  # declares operations
# In the order of the interface document; extensions follow.
operations.all.sort(key=lambda operation: operation.spec_number or math.inf)
