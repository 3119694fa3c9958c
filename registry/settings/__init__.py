"""The settings of one installation: ``config/default.toml``, the files of REGISTRY_CONFIG, what the set-up wrote
(``setup.toml`` in REGISTRY_VAR), then the environment.

Nothing is read at import; ``app`` and ``cli`` hand :func:`load_settings` the configuration folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from registry.settings.files import Reader, find, merge, read, refuse_unknown, with_extended
from registry.settings.files import SettingsError as SettingsError

DEFAULT_SECRET = "troque-esta-chave"
UNSET_CONFIG = "demo.toml"  # what every command uses where there is neither REGISTRY_CONFIG nor a set-up
SETUP_FILE = "setup.toml"
SECRET_FILE = "secret.key"
ENVIRONMENT = ("REGISTRY_CONFIG", "REGISTRY_DATABASE_URL", "REGISTRY_VAR", "REGISTRY_SECRET_KEY")

Rounding = Literal["half_up", "half_even", "down"]

_SITE = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?")


@dataclass(frozen=True)
class Authority:
    """An authority of this installation: code, name, civil zone, its regimes, and calendar days of its own.

    ``calendar`` has entries in the shape of a plugin's ``calendar.toml`` days; closures by act are in the database.
    """

    code: str
    name: str
    short_name: str
    zone: ZoneInfo
    regimes: tuple[str, ...] = ()
    calendar: tuple[Mapping[str, Any], ...] = ()
    phone: str = ""
    address: str = ""


@dataclass(frozen=True)
class Retention:
    """Days that personal data are kept where no law says it: of a person, of an unfiled draft, of technical traces."""

    person_days: int
    draft_days: int
    traces_days: int


@dataclass(frozen=True)
class WorkflowTerms:
    """Terms that stand in no law: business days to answer an exigência and for the analysis."""

    exigencia_days: int
    analysis_days: int


@dataclass(frozen=True)
class SessionSettings:
    """The log-in session: idle minutes, whether its cookie needs HTTPS, failures that lock, minutes of the lock, hours
    that a link for choosing a password holds.
    """

    idle_minutes: int
    secure_cookie: bool
    lock_after: int
    lock_minutes: int
    link_hours: int


@dataclass(frozen=True)
class RateLimits:
    """Requests per address (Flask-Limiter notation): public look-up, JSON look-up, log-in."""

    public: str
    api: str
    login: str


@dataclass(frozen=True)
class Settings:
    """Everything that an installation may choose.

    ``readings`` and ``plugin`` are by plugin; ``permissions`` gives the roles of a permission; ``roles`` the label of a
    role; ``upload_limit`` is in bytes; ``var`` is the folder of uploaded files and of the SQLite database;
    ``proxies`` is how many proxies stand before the server; ``site`` is the address by which people reach it
    (``https://registro.example.gov.br``, "" = unknown); ``sources`` are the files read, in order.
    """

    plugins: tuple[str, ...]
    authorities: Mapping[str, Authority]
    roles: Mapping[str, str]
    permissions: Mapping[str, tuple[str, ...]]
    readings: Mapping[str, Mapping[str, Any]]
    plugin: Mapping[str, Mapping[str, Any]]
    rounding: Rounding
    workflow: WorkflowTerms
    retention: Retention
    session: SessionSettings
    rates: RateLimits
    upload_limit: int
    demo: bool
    host: str
    port: int
    workers: int
    proxies: int
    site: str
    secret_key: str = field(repr=False)
    database_url: str = field(repr=False)
    var: Path
    sources: tuple[Path, ...] = ()

    @property
    def setup_file(self) -> Path:
        """Where the set-up keeps what it was told; loaded after the files of REGISTRY_CONFIG."""
        return self.var / SETUP_FILE

    def authority(self, code: str) -> Authority:
        """The authority of this code. Raises KeyError."""
        return self.authorities[code]

    def authority_of(self, regime: str) -> Authority | None:
        """The first authority that administers a regime; None when none does."""
        return next((each for each in self.authorities.values() if regime in each.regimes), None)


def load_settings(
    folder: Path, environ: Mapping[str, str] | None = None, cwd: Path | None = None, *, unset: str = UNSET_CONFIG
) -> Settings:
    """The settings from the files and the environment.

    Args:
        folder: the shipped configuration folder, which holds default.toml.
        environ: environment variables; ``os.environ`` when None. REGISTRY_CONFIG names files, separated by ``:``, later
            ones override; a bare name is looked for in ``cwd``, then in ``folder``.
        cwd: where relative paths start; the working directory when None.
        unset: what REGISTRY_CONFIG means when it is unset and nothing has been set up: the demonstration.

    Raises:
        SettingsError: a file is missing or malformed, a key is unknown or has the wrong type.
    """
    environ = os.environ if environ is None else environ
    cwd = Path.cwd() if cwd is None else cwd
    setup = (cwd / environ.get("REGISTRY_VAR", "var")).absolute() / SETUP_FILE
    default = folder / "default.toml"
    merged = read(default)
    sources = [default]
    chosen = environ.get("REGISTRY_CONFIG", "" if setup.is_file() else unset)
    paths = [
        path
        for name in filter(None, chosen.split(os.pathsep))
        for path in with_extended(find(name, cwd, folder), folder)
    ]
    for path in [*paths, *([setup] if setup.is_file() else [])]:
        content = read(path)
        refuse_unknown(path, content, merged)
        merged = merge(merged, content)
        sources.append(path)
    return _build(merged, environ, setup.parent, tuple(sources))


def refuse_unsafe(settings: Settings, has_demo_users: bool) -> None:
    """Refuses to serve real use with the shipped secret, in demonstration mode, or with demonstration users.

    Raises SettingsError naming every fault.
    """
    if faults := unsafe(settings, has_demo_users):
        raise SettingsError(f"Não é seguro abrir ao público: {'; '.join(faults)}.")


def unsafe(settings: Settings, has_demo_users: bool) -> list[str]:
    """What makes real use unsafe, each with its mend (pt-BR); empty when nothing does."""
    faults = []
    if not has_own_secret(settings):
        faults.append(
            "a chave secreta é a de fábrica ou tem menos de 16 letras: defina REGISTRY_SECRET_KEY, "
            "ou rode registry setup, que gera uma"
        )
    if settings.demo:
        faults.append(
            "a configuração é a de demonstração: rode registry setup, ou defina REGISTRY_CONFIG com o arquivo do órgão"
        )
    if has_demo_users:
        faults.append("o banco tem usuários de demonstração: use outro banco (REGISTRY_DATABASE_URL)")
    return faults


def has_own_secret(settings: Settings) -> bool:
    """Whether the secret key is neither the shipped one nor too short to keep a secret."""
    return settings.secret_key != DEFAULT_SECRET and len(settings.secret_key) >= 16


def _build(merged: Mapping[str, Any], environ: Mapping[str, str], var: Path, sources: tuple[Path, ...]) -> Settings:
    top = Reader(merged, str(sources[-1]))
    server, workflow, session, rates = (top.section(key) for key in ("server", "workflow", "session", "rates"))
    kept = top.section("retention")
    rounding = _rounding(top)
    permissions = top.section("permissions")
    return Settings(
        plugins=top.texts("plugins"),
        authorities=authorities_from(merged.get("authority", []), top.place),
        roles=MappingProxyType(dict(top.table("roles"))),
        permissions=MappingProxyType({name: permissions.texts(name) for name in permissions.content}),
        readings=_frozen_tables(top.section("readings")),
        plugin=_frozen_tables(top.section("plugin")),
        rounding=rounding,
        workflow=WorkflowTerms(workflow.integer("exigencia_days"), workflow.integer("analysis_days")),
        retention=Retention(*(kept.integer(each) for each in ("person_days", "draft_days", "traces_days"))),
        session=SessionSettings(
            idle_minutes=session.integer("idle_minutes"),
            secure_cookie=session.flag("secure_cookie"),
            lock_after=session.integer("lock_after"),
            lock_minutes=session.integer("lock_minutes"),
            link_hours=session.integer("link_hours"),
        ),
        rates=RateLimits(rates.text("public"), rates.text("api"), rates.text("login")),
        upload_limit=top.section("uploads").integer("limit_mib") * 1024 * 1024,
        demo=top.flag("demo"),
        host=server.text("host"),
        port=server.integer("port"),
        workers=server.integer("workers"),
        proxies=server.integer("proxies"),
        site=_site(server),
        secret_key=environ.get("REGISTRY_SECRET_KEY") or _secret(top, var),
        database_url=environ.get("REGISTRY_DATABASE_URL")
        or top.text("database_url")
        or f"sqlite:///{var / 'registry.db'}",
        var=var,
        sources=sources,
    )


def _secret(top: Reader, var: Path) -> str:
    """The configured key; where nobody configured one, the key that the set-up made."""
    configured = top.text("secret_key")
    if configured != DEFAULT_SECRET:
        return configured
    try:
        return (var / SECRET_FILE).read_text(encoding="utf-8").strip() or configured
    except (FileNotFoundError, NotADirectoryError):
        return configured
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{var / SECRET_FILE}: não se lê: {error}. Confira o dono e a permissão.") from error


def _site(server: Reader) -> str:
    site = server.text("site").rstrip("/")
    if site and not _SITE.fullmatch(site):
        raise SettingsError(f"{server.place}: «site» deve ser como https://registro.example.gov.br; está {site!r}.")
    return site


def _rounding(top: Reader) -> Rounding:
    match top.section("money").text("rounding"):
        case "half_up" | "half_even" | "down" as mode:
            return mode
        case other:
            raise SettingsError(f"{top.place}: «money.rounding» deve ser half_up, half_even ou down; está {other!r}.")


def _frozen_tables(reader: Reader) -> Mapping[str, Mapping[str, Any]]:
    return MappingProxyType({name: MappingProxyType(dict(reader.table(name))) for name in reader.content})


def authorities_from(entries: Any, file: str) -> Mapping[str, Authority]:
    """The authorities of ``[[authority]]`` entries, by code. Raises SettingsError naming the file and the key."""
    found: dict[str, Authority] = {}
    for entry in entries:
        place = f"{file}: authority {entry.get('code', '?')}"
        reader = Reader({"regimes": [], "calendar": [], "phone": "", "address": "", "short_name": "", **entry}, place)
        code, name, zone = reader.text("code"), reader.text("name"), reader.text("zone")
        if code in found:
            raise SettingsError(f"{place}: o código se repete; dê outro a um dos órgãos.")
        try:
            civil_zone = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise SettingsError(
                f"{place}: não existe o fuso «{zone}»; escreva um nome IANA (Continente/Cidade)."
            ) from error
        found[code] = Authority(
            code=code,
            name=name,
            short_name=reader.text("short_name") or name,
            zone=civil_zone,
            regimes=reader.texts("regimes"),
            calendar=tuple(reader.content["calendar"]),
            phone=reader.text("phone"),
            address=reader.text("address"),
        )
    return MappingProxyType(found)
