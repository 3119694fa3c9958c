"""Import profiles: which header of a file is which fact, and how its texts are to be understood. Data, not code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from registry.domain.imports.kinds import KINDS
from registry.domain.text import fold

_TABLES = ("columns", "plugin_columns", "values", "suggestions", "unknown", "defaults", "fuels")


class ProfileError(ValueError):
    """A profile's data is wrong; the message (pt-BR) names the profile, the key and the mend."""


@dataclass(frozen=True)
class Profile:
    """How one kind of file is read.

    Attributes:
        name, label: how commands and screens call it; ``kind`` is what such a file lists (:data:`kinds.KINDS`).
        columns: target -> the headers that mean it (compared without accents and case); ``plugin_targets`` are those
            that plugins take.
        required: targets that no row may lack. ``header`` are those whose column must stand in the file: by them a
            file of this kind is told from others.
        values: target -> text read -> text meant (``GM`` -> ``CHEVROLET``): applied; ``suggestions`` are only proposed.
        unknown: target -> texts that mean «not known», besides an empty cell.
        defaults: target -> value where the file has none.
        fuels: canonical fuel -> its other names; ``fuel_separators`` part them in one cell.
        header_line: the row of the spreadsheet that holds the header; 0 = it is looked for under title lines.
        fleet: one permit may have several vehicles, each in a row of its own.
    """

    name: str
    label: str
    columns: Mapping[str, tuple[str, ...]]
    plugin_targets: frozenset[str] = frozenset()
    required: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    suggestions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unknown: Mapping[str, frozenset[str]] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    fuels: Mapping[str, str] = field(default_factory=dict)
    fuel_order: tuple[str, ...] = ()
    fuel_separators: str = "/-+,"
    kind: str = "vehicles"
    header_line: int = 0
    fleet: bool = False

    def target_of(self, header: str) -> str | None:
        """The target that a header means; None for a column that the profile does not know."""
        wanted = fold(header)
        return next((target for target, names in self.columns.items() if wanted in map(fold, names)), None)

    def target_named(self, name: str) -> str | None:
        """The target of this name, or the one that a header of this name means."""
        return name if name in self.columns else self.target_of(name)

    def mapped(self, maps: Iterable[tuple[str, str, str]]) -> Profile:
        """The profile with more value maps: (target or header, text read, text meant). Raises ProfileError."""
        values = {target: dict(texts) for target, texts in self.values.items()}
        for name, read, meant in maps:
            target = self.target_named(name)
            if target is None:
                raise ProfileError(f"O perfil {self.name} não tem a coluna «{name}». Há: {', '.join(self.columns)}.")
            values.setdefault(target, {})[fold(read)] = meant
        return replace(self, values=values)


def build_profile(name: str, content: Mapping[str, Any]) -> Profile:
    """A profile from its TOML content. Raises :class:`ProfileError`."""
    reader = _Reader(name, content)
    kind = KINDS.get(reader.text("kind", "vehicles"))
    if kind is None:
        raise reader.wrong("kind", f"não há este tipo de arquivo; há: {', '.join(KINDS)}")
    columns = reader.text_lists("columns")
    for target in columns:
        if target not in kind.targets:
            raise reader.wrong(f"columns.{target}", f"não é um dado do cadastro; há: {', '.join(kind.targets)}")
    plugin_columns = reader.text_lists("plugin_columns")
    for target in kind.required:
        if target not in columns:
            raise reader.wrong("columns", f"falta «{target}»")
    every = columns | plugin_columns
    required = tuple(dict.fromkeys((*kind.required, *reader.texts("required"))))
    header = tuple(dict.fromkeys((*required, *reader.texts("header"))))
    for target in header:
        if target not in every:
            raise reader.wrong("required, header", f"«{target}» não está em columns")
    fuels = reader.text_lists("fuels")
    return Profile(
        name=name,
        label=reader.text("label"),
        columns=MappingProxyType(every),
        plugin_targets=frozenset(plugin_columns),
        required=required,
        header=header,
        values=reader.folded_maps("values", every),
        suggestions=reader.folded_maps("suggestions", every),
        unknown={target: frozenset(map(fold, texts)) for target, texts in reader.text_lists("unknown", every).items()},
        defaults=reader.flat("defaults", kind.targets),
        fuels={fold(each): fuel for fuel, others in fuels.items() for each in (fuel, *others)},
        fuel_order=tuple(fuels),
        fuel_separators=reader.text("fuel_separators", "/-+,"),
        kind=kind.code,
        header_line=reader.number("header_line"),
        fleet=reader.flag("fleet"),
    )


class _Reader:
    """Reads typed values of a profile; a wrong one names its key."""

    def __init__(self, name: str, content: Mapping[str, Any]) -> None:
        self.name = name
        self.content = content
        known = {"label", "kind", "required", "header", "header_line", "fleet", "fuel_separators", *_TABLES}
        for key in content:
            if key not in known:
                raise self.wrong(key, f"esta chave não existe; há: {', '.join(sorted(known))}")

    def wrong(self, key: str, message: str) -> ProfileError:
        return ProfileError(f"Perfil de importação {self.name}, «{key}»: {message}.")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.content.get(key, default)
        if not isinstance(value, str) or not value:
            raise self.wrong(key, "escreva um texto")
        return value

    def number(self, key: str) -> int:
        value = self.content.get(key, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(key, "escreva um número inteiro")
        return value

    def flag(self, key: str) -> bool:
        value = self.content.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, "escreva true ou false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        return self._texts(key, self.content.get(key, []))

    def text_lists(self, key: str, known: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        return {name: self._texts(f"{key}.{name}", value) for name, value in self._table(key, known).items()}

    def flat(self, key: str, known: Iterable[str]) -> Mapping[str, str]:
        return self._flat(key, self._table(key, known))

    def folded_maps(self, key: str, known: Iterable[str]) -> dict[str, dict[str, str]]:
        return {
            target: {fold(read): meant for read, meant in self._flat(f"{key}.{target}", texts).items()}
            for target, texts in self._table(key, known).items()
        }

    def _table(self, key: str, known: Iterable[str] | None = None) -> Mapping[str, Any]:
        value = self.content.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, "escreva uma tabela")
        for name in value:
            if known is not None and name not in known:
                raise self.wrong(f"{key}.{name}", "não está em columns")
        return value

    def _flat(self, key: str, value: Any) -> dict[str, str]:
        if not isinstance(value, Mapping) or not all(isinstance(item, str) for item in value.values()):
            raise self.wrong(key, "escreva uma tabela de textos")
        return dict(value)

    def _texts(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "escreva uma lista de textos")
        return tuple(value)
