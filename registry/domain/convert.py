"""From nested text (YAML, command line, JSON) to typed frozen dataclasses, and back.

The one converter: case files, ``registry ask``, the JSON surface and stored decisions all pass here. Single values may
be text or, from JSON and TOML, already typed. A reader is built once per type and kept.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime, time, tzinfo
from decimal import Decimal
from difflib import get_close_matches
from enum import Enum
from functools import cache
from keyword import iskeyword
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from registry.domain.scalars import (
    NULL_WORDS,
    ConversionError,
    choice_text,
    is_scalar,
    read_choice,
    read_member,
    read_scalar,
    shown,
)

__all__ = ["ConversionError", "fill_absent", "from_plain", "to_plain", "to_type"]

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class _Manner:
    """How one conversion reads: the zone of naive moments, and whether ``null``, ``~`` and "" mean None."""

    zone: tzinfo | None
    null_words: bool

    def is_null(self, value: Any) -> bool:
        return value is None or (self.null_words and isinstance(value, str) and value in NULL_WORDS)


_Reader = Callable[[Any, _Manner], Any]


@dataclasses.dataclass(frozen=True, slots=True)
class _Field:
    """A field of a dataclass: its name in Python, its name outside (``from`` for ``from_``), its type."""

    name: str
    outer: str
    annotation: Any
    has_default: bool


def to_type(value: Any, annotation: Any, path: str = "", zone: tzinfo | None = None) -> Any:
    """``value`` (nested text, as the command line and YAML without implicit types give it, or JSON) as ``annotation``.

    Reads str, int, Decimal, bool, date, datetime, time, None, Optional and other unions, Literal, Enum, list, tuple,
    sets, Mapping and (nested) dataclasses. A naive datetime is in ``zone``, an aware one is brought to it (zone None
    leaves both). Where None is allowed, ``null``, ``~`` and an empty text mean None. A field whose name is a Python
    keyword (``from``) is read into ``from_``. A dataclass field without a default must be there; an unknown one is
    refused.

    Raises :class:`ConversionError` with the place and the reason; TypeError for an annotation outside this list.
    """
    return _convert(value, annotation, path, _Manner(zone, null_words=True))


def from_plain(value: Any, annotation: type[T], path: str = "", zone: tzinfo | None = None) -> T:
    """What :func:`to_plain` gave, typed again: as :func:`to_type`, but only a real null is None.

    For stored decisions and other JSON of our own, where a person may be named Null. Raises as :func:`to_type` does.
    """
    result: T = _convert(value, annotation, path, _Manner(zone, null_words=False))
    return result


def to_plain(obj: Any) -> Any:
    """``obj`` as JSON-able data: Decimal as text without exponent, days and moments in ISO, dataclasses as dicts.

    A field ``from_`` is written ``from``; sets come sorted. Raises TypeError for anything else, floats included.
    """
    if isinstance(obj, Enum):
        return to_plain(obj.value)
    if obj is None or isinstance(obj, bool | int | str):
        return obj
    if isinstance(obj, Decimal):
        return format(obj, "f")
    if isinstance(obj, date | time):
        return obj.isoformat()
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return {field.outer: to_plain(getattr(obj, field.name)) for field in _fields(type(obj))}
    if isinstance(obj, Mapping):
        return {choice_text(to_plain(key)): to_plain(entry) for key, entry in obj.items()}
    if isinstance(obj, Set):
        return sorted((to_plain(entry) for entry in obj), key=str)
    if isinstance(obj, list | tuple):
        return [to_plain(entry) for entry in obj]
    raise TypeError(f"{type(obj).__name__} has no plain form")


def fill_absent(cls: Any, data: Mapping[str, Any], *, flags: bool = True) -> dict[str, Any]:
    """``data`` with what it leaves out of ``cls``: None, false, an empty list or mapping; in nested dataclasses too.

    For the case runner, whose files leave out what is false, null or empty; and, without ``flags``, for stored facts of
    an older version of a question, of which nobody said no. A field with a default stays out.
    Raises :class:`ConversionError` for an absent field of any other type.
    """
    filled = dict(data)
    for field in _fields(cls):
        key = field.name if field.name in filled else field.outer
        try:
            if key in filled:
                filled[key] = _fill_inside(field.annotation, filled[key], flags)
            elif not field.has_default:
                filled[key] = _absent_value(field.annotation, flags)
        except ConversionError as error:
            raise error.inside(key) from None
    return filled


def _convert(value: Any, annotation: Any, path: str, manner: _Manner) -> Any:
    try:
        return _reader(annotation)(value, manner)
    except ConversionError as error:
        raise error.inside(path) from None


@cache
def _reader(annotation: Any) -> _Reader:
    """The function that reads one type. Raises TypeError for a type that is not read."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any or annotation is object:
        return lambda value, manner: value
    if origin is Annotated:
        return _reader(arguments[0])
    if hasattr(annotation, "__supertype__"):
        return _reader(annotation.__supertype__)
    if origin in (Union, types.UnionType):
        return _union_reader(arguments)
    if origin is Literal:
        return _literal_reader(arguments)
    if annotation is None or annotation is type(None):
        return _literal_reader((None,))
    if annotation is datetime:
        return _read_moment
    if is_scalar(annotation):
        return lambda value, manner: read_scalar(value, annotation)
    return _class_reader(origin or annotation, arguments, annotation)


def _class_reader(cls: Any, arguments: tuple[Any, ...], annotation: Any) -> _Reader:
    if isinstance(cls, type) and cls is not bytes:
        if dataclasses.is_dataclass(cls):
            return lambda value, manner: _read_dataclass(value, cls, manner)
        if issubclass(cls, Enum):
            return lambda value, manner: read_member(value, cls)
        if issubclass(cls, Mapping):
            return _mapping_reader(*(arguments or (str, Any)))
        if issubclass(cls, Sequence | Set):
            return _series_reader(cls, arguments or (Any, ...))
    raise TypeError(f"no conversion to {annotation!r}")


def _read_moment(value: Any, manner: _Manner) -> datetime:
    moment: datetime = read_scalar(value, datetime)
    if manner.zone is None:
        return moment
    try:
        return moment.replace(tzinfo=manner.zone) if moment.tzinfo is None else moment.astimezone(manner.zone)
    except OverflowError:
        raise ConversionError("", f"esperava um dia e hora que exista, veio {shown(value)}") from None


def _literal_reader(choices: tuple[Any, ...]) -> _Reader:
    def read(value: Any, manner: _Manner) -> Any:
        return None if None in choices and manner.is_null(value) else read_choice(value, choices)

    return read


def _union_reader(choices: tuple[Any, ...]) -> _Reader:
    """None where allowed, else the choice of the value's own type, else the first that reads it."""
    kinds = [choice for choice in choices if choice is not type(None)]
    readers = {kind: _reader(kind) for kind in kinds}

    def read(value: Any, manner: _Manner) -> Any:
        if len(kinds) < len(choices) and manner.is_null(value):
            return None
        if type(value) in readers and not isinstance(value, str):
            return readers[type(value)](value, manner)
        for kind in kinds[:-1]:
            try:
                return readers[kind](value, manner)
            except ConversionError:
                continue
        return readers[kinds[-1]](value, manner)

    return read


def _mapping_reader(key_type: Any, entry_type: Any) -> _Reader:
    read_key, read_entry = _reader(key_type), _reader(entry_type)

    def read(value: Any, manner: _Manner) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, entry in _group(value).items():
            try:
                typed = read_key(key, manner)
                if typed in result:
                    raise ConversionError("", "a mesma chave veio duas vezes")
                result[typed] = read_entry(entry, manner)
            except ConversionError as error:
                raise error.inside(str(key)) from None
        return result

    return read


def _series_reader(cls: type[Any], arguments: tuple[Any, ...]) -> _Reader:
    """A list, set, tuple or sequence of one kind, or a tuple of so many kinds (``tuple[int, str]``)."""
    fixed = [_reader(kind) for kind in arguments] if cls is tuple and arguments[-1] is not Ellipsis else None
    one = _reader(arguments[0])
    build: Callable[[list[Any]], Any] = cls if cls in (list, set) else frozenset if issubclass(cls, Set) else tuple

    def read(value: Any, manner: _Manner) -> Any:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence | Set):
            raise ConversionError("", f"esperava uma lista, veio {shown(value)}")
        if fixed is not None and len(fixed) != len(value):
            raise ConversionError("", f"esperava {len(fixed)} valores, vieram {len(value)}")
        result = []
        for place, entry in enumerate(value):
            try:
                result.append((fixed[place] if fixed else one)(entry, manner))
            except ConversionError as error:
                raise error.inside(f"[{place}]") from None
        return build(result)

    return read


def _read_dataclass(value: Any, cls: Any, manner: _Manner) -> Any:
    if isinstance(value, cls):
        return value
    fields, left = _fields(cls), dict(_group(value))
    arguments: dict[str, Any] = {}
    absent = []
    for field, read in zip(fields, _field_readers(cls), strict=True):
        key = field.outer if field.outer in left else field.name
        if key in left:
            try:
                arguments[field.name] = read(left.pop(key), manner)
            except ConversionError as error:
                raise error.inside(key) from None
        elif not field.has_default:
            absent.append(field.outer)
    if left:
        raise _unknown_field(str(next(iter(left))), [field.outer for field in fields if field.name not in arguments])
    if absent:
        raise ConversionError(absent[0], "falta o campo")
    try:
        return cls(**arguments)
    except ConversionError:
        raise
    except ValueError as error:
        raise ConversionError("", str(error)) from error


def _unknown_field(key: str, open_fields: list[str]) -> ConversionError:
    close = get_close_matches(key, open_fields, n=1)
    return ConversionError(key, f"campo desconhecido; quis dizer «{close[0]}»?" if close else "campo desconhecido")


def _group(value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ConversionError("", f"esperava um grupo de campos, veio {shown(value)}")
    return value


def _fill_inside(annotation: Any, value: Any, flags: bool) -> Any:
    """Fills the dataclasses within a value that is present."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        kinds = [choice for choice in arguments if choice is not type(None)]
        return _fill_inside(kinds[0], value, flags) if len(kinds) == 1 else value
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return fill_absent(annotation, value, flags=flags) if isinstance(value, Mapping) else value
    if isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {key: _placed(str(key), arguments[1], entry, flags) for key, entry in value.items()}
    if isinstance(origin, type) and issubclass(origin, Sequence | Set) and isinstance(value, list | tuple):
        return [_placed(f"[{place}]", arguments[0], entry, flags) for place, entry in enumerate(value)]
    return value


def _placed(place: str, annotation: Any, value: Any, flags: bool) -> Any:
    try:
        return _fill_inside(annotation, value, flags)
    except ConversionError as error:
        raise error.inside(place) from None


def _absent_value(annotation: Any, flags: bool) -> Any:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _absent_value(arguments[0], flags)
    if origin in (Union, types.UnionType, Literal) and (type(None) in arguments or None in arguments):
        return None
    if annotation is bool and flags:
        return False
    container = origin or annotation
    if isinstance(container, type) and container not in (str, bytes):
        if issubclass(container, Mapping):
            return {}
        if issubclass(container, Sequence | Set):
            return ()
    raise ConversionError("", "falta o campo")


@cache
def _fields(cls: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(cls, include_extras=True)
    return tuple(
        _Field(
            field.name,
            _outer(field.name),
            hints[field.name],
            field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING,
        )
        for field in dataclasses.fields(cls)
        if field.init
    )


@cache
def _field_readers(cls: Any) -> tuple[_Reader, ...]:
    """The readers of a dataclass's fields, in order; a hot path reads the same classes again and again."""
    return tuple(_reader(field.annotation) for field in _fields(cls))


def _outer(name: str) -> str:
    return name[:-1] if name.endswith("_") and iskeyword(name[:-1]) else name
