"""What every command may ask for: settings, plugin host, store, desk, the clock.

Made once per invocation, each part when it is needed, and so is what it imports: a command starts quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from registry import resources
from registry.domain.law import Law
from registry.domain.occasion import Occasion
from registry.plugins import LoadedPlugin, PluginHost, RuleFailed
from registry.settings import Settings, load_settings

if TYPE_CHECKING:
    from registry.services.desk import Desk
    from registry.store.engine import Store


@dataclass
class Console:
    """One invocation. ``actor`` is ``--as``, ``on`` is ``--on``; ``clock`` is the only clock that commands read."""

    actor: str = ""
    on: date | None = None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    @cached_property
    def settings(self) -> Settings:
        """The settings of this installation."""
        return load_settings(resources.config())

    @cached_property
    def host(self) -> PluginHost:
        """The configured plugins."""
        return PluginHost.load(self.settings)

    def plugin(self, name: str) -> LoadedPlugin:
        """The loaded plugin of this name. Raises ``click.UsageError`` with the nearest one."""
        found: LoadedPlugin = self.known("plugin", name, self.host.plugins)
        return found

    def known(self, what: str, name: str, options: Mapping[str, Any]) -> Any:
        """The option of this name. Raises ``click.UsageError`` naming the nearest one."""
        if name in options:
            return options[name]
        near = get_close_matches(name, list(options), n=1)
        hint = f" Você quis escrever «{near[0]}»?" if near else f" Há: {', '.join(options) or 'nenhum'}."
        raise click.UsageError(f"Não há {what} {name}.{hint}")

    @cached_property
    def store(self) -> Store:
        """The database of this installation, opened. Raises ``click.ClickException`` for an address it cannot use."""
        from registry.store.engine import Store, StoreError

        try:
            return Store(self.settings.database_url)
        except StoreError as error:
            raise click.ClickException(f"REGISTRY_DATABASE_URL: {error}.") from error

    def migrated(self) -> Store:
        """The database, brought up to date. Raises ``click.ClickException`` saying how to bring it there."""
        from registry.store.migrate import MigrationError, check, of_plugins

        try:
            check(self.store, of_plugins(self.host))
        except MigrationError as error:
            raise click.ClickException(str(error)) from error
        return self.store

    @cached_property
    def desk(self) -> Desk:
        """What use cases work with."""
        from registry.services.desk import Desk

        return Desk(self.store, self.host, self.settings, self.settings.var / "files")

    def law(self, plugin: str, authority: str | None = None) -> Law:
        """The law of a plugin as an authority applies it, with the index values and closures in the database.

        Without an authority it is the one that administers the plugin's regime; a database that does not exist yet has
        neither. Raises ``click.UsageError`` for an unknown authority, ``click.ClickException`` for a database that is
        not up to date.
        """
        from sqlalchemy.exc import DBAPIError

        if authority is not None:
            self.known("órgão", authority, self.settings.authorities)
        code = authority or self.host.authority_for(plugin)
        if code is None or not self._has_tables():
            return self.host.law_for(plugin, code)
        try:
            with self.store.reading() as session:
                return self.desk.law(session, code, plugin)
        except (RuleFailed, DBAPIError):
            self.migrated()
            raise

    def _has_tables(self) -> bool:
        from sqlalchemy import inspect

        from registry.store.acts import IndexValue

        file = self.store.sqlite_path()
        if file is not None and not file.exists():
            return False
        return inspect(self.store.read_engine).has_table(IndexValue.__tablename__)

    def address(self, path: str) -> str:
        """The address of a page, for links that are printed: of ``[server] site``, else of this computer."""
        site = self.settings.site or f"http://{self.settings.host}:{self.settings.port}"
        return f"{site}{path}"

    def now(self, zone: ZoneInfo) -> datetime:
        """The instant of the invocation: with ``--on`` noon of that day in the zone, else the clock's."""
        if self.on:
            return datetime.combine(self.on, time(12), tzinfo=zone)
        return self.clock().astimezone(zone)

    def occasion(self, authority: str, once_key: str = "") -> Occasion:
        """The occasion of a change in an authority's name. Raises KeyError for an authority that config lacks."""
        zone = self.settings.authority(authority).zone
        return Occasion(
            actor=self.actor or "linha de comando",
            authority=authority,
            at=self.now(zone),
            zone=zone,
            once_key=once_key,
        )


pass_console = click.make_pass_decorator(Console, ensure=True)
