"""Signing in on the pages of a portal."""

from __future__ import annotations

from flask import Flask
from flask.testing import FlaskClient

from tests.support.passwords import FAST_HASHER, PASSWORD
from tests.support.person import Page, Person
from twindow.accounts import Accounts
from twindow.web.container import Portal


def add_people(portal: Portal) -> Accounts:
    """Add Anna and Ben, who have the same password, and return the accounts."""
    accounts = portal.accounts
    accounts.passwords.hasher = FAST_HASHER
    for name in ("Anna", "Ben"):
        person = accounts.people.add(name)
        accounts.use_link(accounts.create_link(person), PASSWORD, "")
        accounts.sign_ins.end_all(person.id)
    return accounts


def sign_in(
    person: Person, name: str = "Anna", password: str = PASSWORD, path: str = "/session/new"
) -> Page:
    """Open a page, and sign in on the form to which it leads."""
    return person.press(person.get(path), "Sign in", name=name, password=password)


def is_signed_in(person: Person) -> bool:
    """Return whether the person may use a portal that requires a sign-in."""
    return person.get("/conversations").path == "/conversations"


def client_of(app: Flask, person: Person) -> FlaskClient:
    """Return a Flask test client that has the cookies of a person."""
    client = app.test_client()
    for cookie in person.session.cookies:
        client.set_cookie(cookie.name, str(cookie.value))
    return client
