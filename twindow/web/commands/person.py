"""Commands for operators: people who sign in."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from twindow.accounts import (
    OIDC_PREFIX,
    PROXY_ISSUER,
    NameTaken,
    Person,
    PersonNotFound,
    PersonRejected,
    UnsuitableName,
    is_proxy_name,
)
from twindow.core.server.logs import audit_logger, configure_logging
from twindow.core.settings import Settings
from twindow.core.twin_groups import parse_groups
from twindow.web.commands.merge import merge_people, require_mergeable
from twindow.web.commands.move import report_errors
from twindow.web.commands.people_file import read_pairs, read_people
from twindow.web.container import Portal

MODE_MISSING = (
    "Signing in is turned off: set TWINDOW_SIGN_IN=password, "
    "or visitor,password if people without an account may chat as well."
)
UNSUITABLE_NAME = (
    "A name has 1 to 100 printable characters, and does not begin with “proxy:” or “oidc:”."
)
# Of names that somebody else gives people, by their prefix.
UNSUITABLE_NAMES = {
    PROXY_ISSUER: "A name of the proxy is written proxy:NAME, with 1 to 200 printable characters "
    "and no comma.",
    OIDC_PREFIX: "The provider names this person, anew with each sign-in.",
}
NOT_FOUND = "There is no {}. See “person list”: others are written proxy:NAME or oidc:SUBJECT."
LINK_ADVICE = "Send this link to {}. It works once, within 24 hours:"
KEPT_AT_SERVICE = (
    "{0} conversations could not be deleted at the service; the log has the reason. They are "
    "hidden, and {1} is disabled. Run the command again when the service (with the embedded one: "
    "the server) is running."
)
# Settings with which somebody else names the groups of people, by the prefix of their name.
GROUP_SETTINGS = {PROXY_ISSUER: "proxy_groups_header", OIDC_PREFIX: "oidc_groups_claim"}


_file_option = partial(
    click.option,
    "--from",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.csv",
)


def create_person_group(portal: Portal) -> click.Group:
    """Return the commands that add people, disable them, and give them one-time links."""
    accounts = portal.accounts

    @click.group("person", help="Manage the people who sign in.")
    @click.pass_context
    def commands(context: click.Context) -> None:
        handler = configure_logging()
        context.call_on_close(lambda: logging.getLogger().removeHandler(handler))
        modes = portal.settings.sign_in
        if not (modes.has_sign_ins or modes.has_proxy):
            raise click.ClickException(MODE_MISSING)

    @commands.command("add", help="Add people, and print the links to set their passwords.")
    @click.argument("name", required=False)
    @_file_option(help="Add the people in a file with the columns name and groups.")
    def add(name: str | None, file: Path | None) -> None:
        if not portal.settings.sign_in.has_passwords:
            raise click.ClickException(MODE_MISSING)
        if file and not name:
            _add_from_file(portal, file)
            return
        if file or not name:
            raise click.UsageError("Give a name, or --from and a file.")
        try:
            person = accounts.people.add(name)
        except UnsuitableName:
            raise click.ClickException(UNSUITABLE_NAME) from None
        except NameTaken:
            raise click.ClickException(f"{name} exists already.") from None
        _log("has added “%s”", person)
        _print_link(portal.settings, person, accounts.create_link(person))

    @commands.command("list", help="List all people.")
    def list_all() -> None:
        for person in accounts.people.list_all():
            facts = {
                person.name: not person.has_account and not person.identity.endswith(person.name),
                "disabled": person.is_disabled,
                "no password yet": person.has_account and not person.has_password,
                f"groups: {' '.join(person.groups)}": bool(person.groups),
                f"last sign-in: {_date(person.signed_in_at)}": person.signed_in_at is not None,
            }
            click.echo(
                "\t".join((person.listed_name, ", ".join(fact for fact in facts if facts[fact])))
            )

    @commands.command("rename", help="Change the name of a person.")
    @click.argument("name")
    @click.argument("new_name")
    def rename(name: str, new_name: str) -> None:
        try:
            new_name = " ".join(new_name.split())
            accounts.people.rename(name, new_name)
        except PersonNotFound:
            raise click.ClickException(NOT_FOUND.format(name)) from None
        except UnsuitableName:
            sentence = UNSUITABLE_NAMES.get(name.partition(":")[0], UNSUITABLE_NAME)
            raise click.ClickException(sentence) from None
        except NameTaken:
            raise click.ClickException(f"{new_name} exists already.") from None
        _log("has changed a name to “%s”, from “%s”", accounts.people.find(new_name), name)
        click.echo(f"{name} is now {new_name}.")

    @commands.command("disable", help="End a person's sign-ins and accept no new ones.")
    @click.argument("name")
    def disable(name: str) -> None:
        person = _find(name)
        accounts.people.disable(person)
        _log("has disabled “%s”", person)
        click.echo(
            f"{name} is signed out everywhere and can no longer sign in. "
            "API keys that they created in the portal are revoked."
        )

    @commands.command("enable", help="Let a disabled person sign in again.")
    @click.argument("name")
    def enable(name: str) -> None:
        person = _find(name)
        accounts.people.enable(person)
        _log("has enabled “%s”", person)
        click.echo(f"{name} can sign in again.")

    @commands.command("delete", help="Delete a person and all their conversations for good.")
    @click.argument("name")
    @click.option("--yes", is_flag=True, help="Do not ask.")
    def delete(name: str, *, yes: bool) -> None:
        person = _find(name)
        if not yes:
            click.confirm(f"Delete {name} and all their conversations for good?", abort=True)
        accounts.people.disable(person)
        if kept_count := portal.deletions.erase_person(person.id):
            raise click.ClickException(KEPT_AT_SERVICE.format(kept_count, name))
        accounts.people.delete(person)
        _log("has deleted “%s” with all conversations", person)
        click.echo(f"{name} is deleted. Logs and backups keep what they have.")
        if not person.has_account:
            click.echo(f"At the next sign-in, {name} becomes a new person, who is not disabled.")

    @commands.command("groups", help="Show or change the groups of a person.")
    @click.argument("name")
    @click.option("--add", "added", multiple=True, metavar="GROUP", help="Can be repeated.")
    @click.option("--remove", "removed", multiple=True, metavar="GROUP", help="Can be repeated.")
    def groups(name: str, added: tuple[str, ...], removed: tuple[str, ...]) -> None:
        try:
            added_groups = parse_groups(",".join(added))
        except ValueError as error:
            raise click.ClickException(f"{error}.") from None
        person = _find_or_expect(name) if added else _find(name)
        if added or removed:
            _require_own_groups(person.identity.partition(":")[0])
        new_groups = {*person.groups, *added_groups}
        person = portal.accounts.people.set_groups(person, new_groups.difference(removed))
        if added or removed:
            _log(
                "has changed the groups of “%s” to: %s", person, ", ".join(person.groups) or "none"
            )
        for group in person.groups:
            click.echo(group)

    @commands.command("reset", help="Sign a person out everywhere, and print a link as for add.")
    @click.argument("name")
    def reset(name: str) -> None:
        person = _find(name)
        if not person.has_account:
            raise click.ClickException("This person has no password.")
        if person.is_disabled:
            raise click.ClickException(f"{name} is disabled. Enable them first.")
        token = accounts.reset(person)
        _log("has deleted the password of “%s”", person)
        _print_link(portal.settings, person, token)

    @commands.command("merge", help="Give all of a person to another one, and delete the person.")
    @click.argument("name", required=False)
    @click.argument("into", required=False)
    @_file_option(help="Merge the people in a file with the columns name and into.")
    @click.option("--dry-run", is_flag=True, help="Only say what would change.")
    @click.option("--yes", is_flag=True, help="Do not ask.")
    def merge(
        name: str | None, into: str | None, file: Path | None, *, dry_run: bool, yes: bool
    ) -> None:
        if (bool(name), bool(into), bool(file)) not in ((True, True, False), (False, False, True)):
            raise click.UsageError("Give two names, or --from and a file.")
        names = read_pairs(file) if file else [(name or "", into or "")]
        pairs = [(_find(name), _find(into)) for name, into in names]
        require_mergeable(pairs)
        for person, into_person in pairs:
            found = portal.adoption.find(person.id)
            click.echo(
                f"{person.listed_name} into {into_person.listed_name}, "
                f"conversations: {found.count if found else 0}"
            )
        if dry_run:
            return
        if not yes:
            click.confirm("Merge, and delete the first person of each pair for good?", abort=True)
        with report_errors():
            try:
                merge_people(portal, pairs)
            except PersonNotFound:
                raise click.ClickException(
                    "Somebody was deleted meanwhile; see “person list”."
                ) from None
        for person, into_person in pairs:
            _log("has merged “%s” into “%s”", person, into_person.listed_name)
        click.echo(f"Merged: {len(pairs)}.")

    def _find_or_expect(name: str) -> Person:
        """Return a person; add one whom the proxy has not named yet."""
        issuer, _, subject = name.partition(":")
        is_expected = portal.settings.sign_in.has_proxy and issuer == PROXY_ISSUER
        try:
            return accounts.people.find(name)
        except PersonNotFound:
            if not (is_expected and is_proxy_name(subject)):
                raise click.ClickException(NOT_FOUND.format(name)) from None
        _require_own_groups(issuer)
        click.echo(
            f"{name} has not signed in yet. The groups apply from the first visit.", err=True
        )
        return accounts.people.find_or_add(PROXY_ISSUER, subject, subject)

    def _require_own_groups(issuer: str) -> None:
        setting = GROUP_SETTINGS.get(issuer, "")
        if getattr(portal.settings, setting, None):
            raise click.ClickException(
                f"TWINDOW_{setting.upper()} names the groups of this person."
            )

    def _find(name: str) -> Person:
        try:
            return accounts.people.find(name)
        except PersonNotFound:
            raise click.ClickException(NOT_FOUND.format(name)) from None

    return commands


def _log(action: str, person: Person, *values: str) -> None:
    audit_logger.info(f"The operator {action}.", person.listed_name, *values)


def _add_from_file(portal: Portal, file: Path) -> None:
    """Add everybody in a file, or nobody, and print the link of each person."""
    people = read_people(file)
    try:
        added = portal.accounts.add_all([person for _, person in people])
    except PersonRejected as error:
        number, rejected = people[error.index]
        is_taken = isinstance(error.reason, NameTaken)
        reason = f"{rejected.name} exists already." if is_taken else UNSUITABLE_NAME
        raise click.ClickException(f"{file}, line {number}: {reason}") from None
    click.echo("Send each person their link. It works once, within 24 hours:")
    for person, token in added:
        _log("has added “%s”", person)
        click.echo(f"{person.name}\t{_link(portal.settings, token)}")


def _date(seconds: float | None) -> str:
    return f"{datetime.fromtimestamp(seconds or 0, UTC):%Y-%m-%d}"


def _print_link(settings: Settings, person: Person, token: str) -> None:
    """Print a link, on the last line by itself, so that scripts can read it."""
    click.echo(LINK_ADVICE.format(person.name))
    click.echo(_link(settings, token))


def _link(settings: Settings, token: str) -> str:
    return f"{(settings.public_url or settings.own_url).rstrip('/')}/session/links/{token}"
