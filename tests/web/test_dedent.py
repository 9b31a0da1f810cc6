"""Indentation of templates: it is not sent, and white space that separates words stays."""

from __future__ import annotations

from flask import Flask

PAGE = """\
<p>
    One
    {% if true %}
    <b
      id="b"
      {% if true %}
      hidden
      {% endif %}
    >two</b>{% endif %}
    {# A comment. #}
    <i>three</i>
</p>
"""


def test_indentation_of_templates_is_not_sent_but_words_stay_apart(app: Flask):
    html = app.jinja_env.from_string(PAGE).render()

    assert html == '<p>\nOne\n <b\nid="b"\n hidden\n >two</b> <i>three</i>\n</p>'


def test_white_space_of_values_is_sent_unchanged(app: Flask):
    template = app.jinja_env.from_string("  <pre>{{ code }}</pre>")

    assert template.render(code="if x:\n    y") == "<pre>if x:\n    y</pre>"
