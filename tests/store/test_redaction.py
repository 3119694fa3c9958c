"""Blanking the content of audit entries: the chain stays whole only where the chain itself says what was blanked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError

from registry.domain.occasion import Occasion
from registry.store.audit import REDACTED, AuditEntry, AuditReport, head, record, redact, verify
from registry.store.engine import Store
from tests.store.test_audit import fill, kinds, tamper

Occasions = Callable[..., Occasion]


def blank(store: Store, occasion: Occasions, *numbers: int) -> int:
    """Blanks entries as the registry does."""
    with store.writing() as session:
        chosen = session.scalars(select(AuditEntry).where(AuditEntry.seq.in_(numbers))).all()
        return redact(session, occasion(), "person", 1, chosen)


def report(store: Store) -> AuditReport:
    with store.reading() as session:
        return verify(session)


def write(store: Store, occasion: Occasions, listed: Any) -> None:
    """An entry of a forger, well hashed, that says what was blanked."""
    with store.writing() as session:
        record(session, occasion(actor="eva"), REDACTED, "person", 1, None, {"entries": listed})


def test_a_blanked_entry_leaves_the_chain_whole_and_keeps_the_rest(town: Store, occasion: Occasions) -> None:
    heads = fill(town, occasion)
    assert blank(town, occasion, 2, 3) == 2
    found = report(town)
    assert (found.intact, found.redacted, found.head.count) == (True, 2, 7)
    assert kinds(town, heads) == []
    with town.reading() as session:
        entry = session.get_one(AuditEntry, 2)
        assert (entry.before, entry.after) == (None, None)
        assert (entry.actor, entry.action, entry.subject_id) == ("ana", "person.changed", 2)


def test_nothing_to_blank_writes_nothing(town: Store, occasion: Occasions) -> None:
    fill(town, occasion)
    assert blank(town, occasion, 2) == 1
    assert blank(town, occasion, 2, 7) == 0
    assert report(town).head.count == 7


def test_blanking_by_hand_is_found(town: Store, occasion: Occasions) -> None:
    fill(town, occasion)
    with town.writing() as session:
        session.execute(text("update audit_entry set before = null, after = null where seq = 3"))
    assert kinds(town) == [(3, "altered")]


def test_half_of_an_entry_cannot_be_blanked(town: Store, occasion: Occasions) -> None:
    fill(town, occasion)
    with pytest.raises(IntegrityError, match="never changed"), town.writing() as session:
        session.execute(text("update audit_entry set before = null where seq = 3"))


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_an_entry_that_names_another_number_hash_or_rest_accounts_for_nothing(
    town: Store, occasion: Occasions, wrong: int
) -> None:
    fill(town, occasion)
    blank(town, occasion, 3)
    with town.reading() as session:
        listed = session.get_one(AuditEntry, 7).after["entries"][0]  # type: ignore[index]
    tamper(town, "delete from audit_entry where seq = 7")
    forged = list(listed)
    forged[wrong] = [2, "f" * 64, "f" * 64][wrong]
    write(town, occasion, [forged])
    assert kinds(town) == [(3, "altered")]
    write(town, occasion, [listed])
    assert kinds(town) == []


@pytest.mark.parametrize("listed", [None, 3, [3], [[]], [[3]], [[{}, "x"]], "3"])
def test_an_entry_of_another_shape_accounts_for_nothing(town: Store, occasion: Occasions, listed: Any) -> None:
    fill(town, occasion)
    with town.writing() as session:
        session.execute(text("update audit_entry set before = null, after = null where seq = 3"))
    write(town, occasion, listed)
    assert kinds(town) == [(3, "altered")]


def test_the_entry_that_tells_of_it_cannot_be_removed_altered_or_blanked(town: Store, occasion: Occasions) -> None:
    fill(town, occasion)
    blank(town, occasion, 3)
    with town.reading() as session:
        kept = head(session)
    assert blank(town, occasion, 7) == 0
    tamper(town, "update audit_entry set before = null, after = null where seq = 7")
    assert kinds(town) == [(3, "altered"), (7, "altered")]
    tamper(town, "delete from audit_entry where seq = 7")
    assert kinds(town) == [(3, "altered")]
    assert kinds(town, kept) == [(3, "altered"), (7, "removed")]


def test_what_stays_of_a_blanked_entry_is_still_kept(town: Store, occasion: Occasions) -> None:
    fill(town, occasion)
    blank(town, occasion, 3)
    tamper(town, "update audit_entry set actor = 'eva' where seq = 3")
    assert kinds(town) == [(3, "altered")]


def test_content_put_back_into_a_blanked_entry_must_be_the_old_one(town: Store, occasion: Occasions) -> None:
    fill(town, occasion)
    blank(town, occasion, 3)
    tamper(town, """update audit_entry set after = '{"name": "outra"}' where seq = 3""")
    assert kinds(town) == [(3, "altered")]
