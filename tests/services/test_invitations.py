"""Links for choosing a password: of two at once one works, other authorities have no part, digests alone are kept."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import select

from registry.services import invitations, users
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.store.access import Invitation, User
from registry.store.audit import AuditEntry
from tests.factories import NOON, Clerk

PASSWORD = "uma senha comprida"


@pytest.fixture
def made(desk: Desk, jonas: Clerk) -> invitations.Issued:
    return invitations.invite(jonas.occasion(), desk, "marina", "Marina Lima", ["analista"])


def test_of_two_at_once_one_password_holds(desk: Desk, made: invitations.Issued) -> None:
    start, results = Barrier(2), []

    def choose(number: int) -> None:
        start.wait()
        try:
            results.append(invitations.accept(desk, made.secret, f"{PASSWORD} {number}", NOON))
        except invitations.LinkUnusable:
            results.append("")

    threads = [Thread(target=choose, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["", "marina"]


def test_the_secret_stands_neither_in_the_database_nor_in_the_audit(desk: Desk, made: invitations.Issued) -> None:
    invitations.accept(desk, made.secret, PASSWORD, NOON)
    with desk.store.reading() as session:
        kept = session.scalars(select(Invitation)).one()
        entries = [(each.before, each.after) for each in session.scalars(select(AuditEntry))]
        assert kept.used_at == NOON and kept.cancelled_at is None
        assert session.get_one(User, made.user_id).password_hash.startswith("$argon2id$")
    for secret in (made.secret, kept.digest, PASSWORD):
        assert secret not in repr(entries)


def test_the_first_link_is_an_invitation_and_the_next_a_new_password(
    desk: Desk, jonas: Clerk, made: invitations.Issued
) -> None:
    with desk.store.reading() as session:
        assert invitations.read(session, desk, made.secret, NOON).kind == "convite"
    invitations.accept(desk, made.secret, PASSWORD, NOON)
    later = invitations.make_link(jonas.occasion(hours=1), desk, made.user_id)
    with desk.store.reading() as session:
        assert invitations.read(session, desk, later.secret, NOON + timedelta(hours=1)).kind == "senha"
        assert invitations.waiting(session, "outro", NOON) == {}
        assert list(invitations.waiting(session, "porto", NOON + timedelta(hours=72))) == [made.user_id]
        assert invitations.waiting(session, "porto", NOON + timedelta(hours=73)) == {}


def test_a_password_set_otherwise_or_a_closed_access_ends_the_link(
    desk: Desk, jonas: Clerk, made: invitations.Issued
) -> None:
    users.set_password(jonas.occasion(), desk, made.user_id, PASSWORD)
    with pytest.raises(invitations.LinkUnusable):
        invitations.accept(desk, made.secret, PASSWORD, NOON)
    later = invitations.make_link(jonas.occasion(), desk, made.user_id)
    users.set_active(jonas.occasion(), desk, made.user_id, False)
    with pytest.raises(Refused, match="acesso está fechado"):
        invitations.make_link(jonas.occasion(), desk, made.user_id)
    users.set_active(jonas.occasion(), desk, made.user_id, True)
    with pytest.raises(invitations.LinkUnusable):
        invitations.accept(desk, later.secret, PASSWORD, NOON)


def test_another_authority_makes_and_cancels_none(desk: Desk, stranger: Clerk, made: invitations.Issued) -> None:
    for act in (invitations.make_link, invitations.cancel):
        with pytest.raises(NotFound):
            act(stranger.occasion(), desk, made.user_id)


@pytest.mark.parametrize("secret", ["", "x" * 43, "\ud800", "é" * 4000])
def test_a_made_up_secret_is_a_link_that_does_not_hold(desk: Desk, made: invitations.Issued, secret: str) -> None:
    with pytest.raises(invitations.LinkUnusable):
        invitations.accept(desk, secret, PASSWORD, NOON)


def test_two_clicks_make_one_link(desk: Desk, jonas: Clerk, made: invitations.Issued) -> None:
    first, second = (invitations.make_link(jonas.occasion(once_key="k"), desk, made.user_id) for _ in range(2))
    assert first.secret and not second.secret and first.expires_at == second.expires_at
    with desk.store.reading() as session:
        invitations.read(session, desk, first.secret, NOON)
