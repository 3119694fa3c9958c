"""A plugin's tables: the prefix, where foreign keys may point, and that nothing goes along when a core row goes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from registry.store.base import Base, Key, TableError, check_plugin_tables, plugin_base
from registry.store.people import Person


@pytest.fixture(autouse=True)
def own_tables_leave_again() -> Iterator[None]:
    before = set(Base.metadata.tables)
    yield
    for name in set(Base.metadata.tables) - before:
        Base.metadata.remove(Base.metadata.tables[name])


def stand(target: object, plugin: str = "sown", **options: str) -> type:
    base = plugin_base(plugin)
    body = {
        "__tablename__": f"{plugin}__stand",
        "__annotations__": {"id": Mapped[Key], "other_id": Mapped[int]},
        "other_id": mapped_column(ForeignKey(target, **options)),
        "__module__": __name__,
    }
    return type("Stand", (base,), body)


def test_a_table_with_the_prefix_that_refers_to_a_core_key_is_good() -> None:
    check_plugin_tables("sown", [stand(Person.id)])


def test_each_plugin_has_its_own_class_names() -> None:
    """Two plugins may both have a Stand, and neither is the core's business."""
    first, second = stand(Person.id, "one"), stand(Person.id, "two")
    assert first.registry is not second.registry
    assert first.registry is not Base.registry
    assert first.metadata is Base.metadata


@pytest.mark.parametrize("name", ["stand", "other__stand", "sown_stand", "sown__alembic_version", "sownx__stand"])
def test_a_table_without_the_prefix_is_refused_when_it_is_made(name: str) -> None:
    body = {"__tablename__": name, "__annotations__": {"id": Mapped[Key]}, "__module__": __name__}
    with pytest.raises(TableError, match=f"sown.*«{name}».*«sown__nome»"):
        type("Stand", (plugin_base("sown"),), body)


@pytest.mark.parametrize("name", ["", "Sown", "1st", "a__b", "a-b", "a_", "a b"])
def test_a_plugin_name_that_cannot_be_a_prefix_is_refused(name: str) -> None:
    with pytest.raises(TableError):
        plugin_base(name)


@pytest.mark.parametrize("options", [{"ondelete": "CASCADE"}, {"ondelete": "SET NULL"}, {"onupdate": "CASCADE"}])
def test_a_cascade_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(TableError, match="cascata"):
        check_plugin_tables("sown", [stand(Person.id, **options)])


def test_a_foreign_key_beside_the_primary_key_is_refused() -> None:
    with pytest.raises(TableError, match=r"person\.name"):
        check_plugin_tables("sown", [stand(Person.name)])


def test_a_foreign_key_to_another_plugin_is_refused() -> None:
    other = stand(Person.id, "other")
    with pytest.raises(TableError, match=r"other__stand\.id"):
        check_plugin_tables("sown", [stand(other.id)])


def test_a_foreign_key_to_nothing_is_refused() -> None:
    with pytest.raises(TableError, match="«nowhere»"):
        check_plugin_tables("sown", [stand("nowhere.id")])


def test_a_table_of_the_core_is_not_a_plugins() -> None:
    with pytest.raises(TableError, match="plugin_base"):
        check_plugin_tables("sown", [Person])


def test_a_class_that_is_no_table_is_refused() -> None:
    with pytest.raises(TableError, match="plugin_base"):
        check_plugin_tables("sown", [object])
