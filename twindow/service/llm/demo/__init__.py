"""The demo model: a small model in a child process, with the methods of a model client."""

from twindow.service.llm.demo.model import DemoModel, is_available

__all__ = ["DemoModel", "is_available"]
