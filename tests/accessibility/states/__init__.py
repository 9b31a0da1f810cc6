"""All page states. Add a state with a function that opens a page in this state."""

from importlib import import_module
from pkgutil import iter_modules

from tests.accessibility.environment import STATES

for module in iter_modules(__path__):
    import_module(f"{__name__}.{module.name}")

__all__ = ["STATES"]
