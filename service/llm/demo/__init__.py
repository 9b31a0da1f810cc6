"""The demo model: a small bundled model in a child process, with the methods of a model client."""

from service.llm.demo.model import DemoModel

__all__ = ["DemoModel"]
