"""Commands of the operator: `flask --app app twindow NAME`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import click

from twindow.core.db.table_copy import Source
from twindow.core.findings import Finding
from twindow.web.commands.backup import create_backup_command, create_restore_command
from twindow.web.commands.check import create_check_command
from twindow.web.commands.move import create_move_command
from twindow.web.commands.person import create_person_group
from twindow.web.container import Portal

__all__ = ["add_commands", "create_restore_command"]


def add_commands(
    group: click.Group,
    portal: Portal,
    sources: Sequence[Source],
    check_service: Callable[[bool], Iterable[Finding]] = lambda _asks_model: (),
) -> None:
    """Add the commands of a portal to a group.

    `sources` are the databases of the portal and of the embedded service, whose findings
    `check_service` yields; its argument says whether to ask the model.
    """
    group.add_command(create_check_command(portal, check_service))
    group.add_command(create_person_group(portal))
    group.add_command(create_backup_command(portal.settings, sources))
    schemas = [schema for schema, _ in sources]
    group.add_command(create_restore_command(portal.settings, schemas))
    group.add_command(create_move_command(portal.settings, sources))
