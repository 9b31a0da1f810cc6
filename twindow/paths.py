"""Paths of the repository, from which Twindow runs."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
MIGRATIONS = ROOT / "twindow" / "migrations"
PROJECT_FILE = ROOT / "pyproject.toml"
STATIC = ROOT / "static"
TEMPLATES = ROOT / "templates"
TRANSLATIONS = ROOT / "twindow" / "translations"
TWINS = ROOT / "twins"
