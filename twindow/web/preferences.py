"""The interface preferences of a person, stored in their session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from flask import Flask, session

from twindow.core.languages import LANGUAGES, N_
from twindow.web.session.fields import PREFERENCES_FIELD


@dataclass(frozen=True, slots=True)
class Preferences:
    """The chosen options. Only values that differ from the default are stored."""

    language: str = "system"
    theme: str = "system"
    text: str = "normal"
    enter: str = "send"
    announce: str = "on"
    shortcuts: str = "on"

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Preferences:
        """Return preferences with the valid values, and defaults for missing or invalid ones."""
        return cls(
            **{
                name: str(values[name])
                for name, preference_field in PREFERENCE_FIELDS.items()
                if values.get(name) in preference_field.options
            }
        )

    @property
    def non_defaults(self) -> dict[str, str]:
        """Return the values that differ from the defaults."""
        defaults = asdict(Preferences())
        return {name: value for name, value in asdict(self).items() if value != defaults[name]}

    @property
    def html_attributes(self) -> dict[str, str]:
        """Return the data attributes of <html>, such as data-theme; defaults are omitted.

        The language is omitted because the `lang` attribute contains it.
        """
        return {
            f"data-{name}": value for name, value in self.non_defaults.items() if name != "language"
        }


@dataclass(frozen=True, slots=True)
class PreferenceField:
    """A question on the preferences page, with its options (value: label)."""

    legend: str
    hint: str
    options: Mapping[str, str]
    needs_script: bool = False


ON_OFF = {"on": N_("On"), "off": N_("Off")}
PREFERENCE_FIELDS = {
    "language": PreferenceField(
        N_("Language"),
        N_("“System” uses your browser's language."),
        {"system": N_("System"), **LANGUAGES},
    ),
    "theme": PreferenceField(
        N_("Theme"),
        N_("“System” follows your device."),
        {"system": N_("System"), "light": N_("Light"), "dark": N_("Dark")},
    ),
    "text": PreferenceField(
        N_("Text size"),
        N_("Make all text and controls larger."),
        {"normal": N_("Normal"), "large": N_("Large")},
    ),
    "enter": PreferenceField(
        N_("Press Enter to"),
        N_("Shift+Enter always adds a new line."),
        {"send": N_("Send"), "newline": N_("Add a new line")},
        needs_script=True,
    ),
    "announce": PreferenceField(
        N_("Screen reader announcements"),
        N_("Announce replies sentence by sentence as they arrive."),
        ON_OFF,
        needs_script=True,
    ),
    "shortcuts": PreferenceField(
        N_("Keyboard shortcuts"),
        N_("Use single-key shortcuts such as ? for help."),
        ON_OFF,
        needs_script=True,
    ),
}


def init_app(app: Flask) -> None:
    """Register `preferences` and `preference_fields` for templates."""
    app.add_template_global(preferences)
    app.jinja_env.globals["preference_fields"] = PREFERENCE_FIELDS


def preferences() -> Preferences:
    """Return the preferences of the current person. Does not create a session."""
    stored = session.get(PREFERENCES_FIELD)
    return Preferences.from_mapping(stored) if isinstance(stored, dict) else Preferences()
