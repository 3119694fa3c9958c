"""Log-in with its lock, accounts, roles and appointments."""

from __future__ import annotations

from datetime import date, timedelta
from threading import Barrier, Thread

import pytest
from sqlalchemy import select

from registry.services import offices, users
from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused
from registry.store.access import User
from registry.store.audit import AuditEntry
from tests import regime
from tests.factories import NOON, Clerk

PASSWORD = "uma senha comprida"


@pytest.fixture
def marina(desk: Desk, jonas: Clerk) -> int:
    return users.create_user(jonas.occasion(), desk, "marina", "Marina Albuquerque", PASSWORD, ["analista"])


def _refused(desk: Desk, name: str, password: str, **later: float) -> users.LogInRefused:
    with pytest.raises(users.LogInRefused) as refused:
        users.authenticate(desk, name, password, NOON + timedelta(**later))
    return refused.value


def test_the_right_password_lets_in_however_the_name_is_typed(desk: Desk, marina: int) -> None:
    found = users.authenticate(desk, " Marina ", PASSWORD, NOON)
    assert (found.id, found.authority, found.epoch) == (marina, "porto", 1)


def test_one_text_for_an_unknown_name_a_wrong_password_and_an_inactive_user(
    desk: Desk, marina: int, jonas: Clerk
) -> None:
    wrong = _refused(desk, "marina", "errada")
    unknown = _refused(desk, "ninguem", PASSWORD)
    users.set_active(jonas.occasion(), desk, marina, False)
    closed = _refused(desk, "marina", PASSWORD)
    assert {wrong.message_pt, unknown.message_pt, closed.message_pt} == {"Usuário ou senha não conferem."}


@pytest.mark.parametrize("name", ["marina", "ninguem"])
def test_too_many_failures_lock_the_name_until_the_minute_told(desk: Desk, marina: int, name: str) -> None:
    rules = desk.settings.session
    for _ in range(rules.lock_after - 1):
        assert _refused(desk, name, "errada").locked_until is None
    last = _refused(desk, name, "errada")
    assert last.locked_until == NOON + timedelta(minutes=rules.lock_minutes)
    assert last.message_pt == "Muitas tentativas com este usuário. Espere até as 12h15 e tente de novo."
    assert _refused(desk, name, PASSWORD, minutes=rules.lock_minutes - 1).locked_until == last.locked_until
    if name == "marina":
        assert users.authenticate(desk, name, PASSWORD, NOON + timedelta(minutes=rules.lock_minutes)).id == marina
    else:
        assert _refused(desk, name, PASSWORD, minutes=rules.lock_minutes).locked_until is None


def test_a_right_password_sets_the_count_back(desk: Desk, marina: int) -> None:
    for _ in range(2):
        for _ in range(desk.settings.session.lock_after - 1):
            _refused(desk, "marina", "errada")
        users.authenticate(desk, "marina", PASSWORD, NOON)


def test_guesses_at_once_do_not_outrun_the_lock(desk: Desk, marina: int, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[str] = []
    real = users._matches

    def counted(hashed: str, password: str) -> bool:
        checked.append(password)
        return real(hashed, password)

    monkeypatch.setattr(users, "_matches", counted)
    count = desk.settings.session.lock_after + 4
    start = Barrier(count)

    def guess(number: int) -> None:
        start.wait()
        _refused(desk, "marina", f"errada {number}")

    threads = [Thread(target=guess, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(checked) == desk.settings.session.lock_after


def test_a_new_password_opens_the_lock_and_ends_older_sessions(desk: Desk, marina: int, jonas: Clerk) -> None:
    for _ in range(desk.settings.session.lock_after):
        _refused(desk, "marina", "errada")
    users.set_password(jonas.occasion(), desk, marina, "outra senha comprida")
    assert users.authenticate(desk, "marina", "outra senha comprida", NOON).epoch == 2
    _refused(desk, "marina", PASSWORD)


@pytest.mark.parametrize(
    ("username", "name", "password", "roles", "field"),
    [
        ("Marina", "Marina", PASSWORD, ["analista"], "username"),
        ("m", "Marina", PASSWORD, ["analista"], "username"),
        ("marina2", " ", PASSWORD, ["analista"], "name"),
        ("marina2", "Marina", "curta", ["analista"], "password"),
        ("marina2", "Marina", "marina2-senha-longa", ["analista"], "password"),
        ("marina2", "Marina", PASSWORD, ["rei"], "roles"),
        ("marina2", "Marina", PASSWORD, [], "roles"),
        ("marina", "Marina", PASSWORD, ["analista"], "username"),
    ],
)
def test_a_bad_account_is_refused_at_its_field(
    desk: Desk, marina: int, jonas: Clerk, username: str, name: str, password: str, roles: list[str], field: str
) -> None:
    with pytest.raises(Refused) as refused:
        users.create_user(jonas.occasion(), desk, username, name, password, roles)
    assert set(refused.value.fields) == {field}


def test_demonstration_users_only_in_a_demonstration(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused):
        users.create_user(jonas.occasion(), desk, "demo", "Demo", "demo", ["analista"], demo=True)
    with desk.store.reading() as session:
        assert not users.has_demo_users(session)


def test_users_of_another_authority_are_out_of_reach(desk: Desk, marina: int, stranger: Clerk) -> None:
    for act in (
        lambda: users.set_password(stranger.occasion(), desk, marina, PASSWORD),
        lambda: users.set_roles(stranger.occasion(), desk, marina, ["diretor"]),
        lambda: users.set_active(stranger.occasion(), desk, marina, False),
        lambda: offices.appoint(
            stranger.occasion(), desk, marina, regime.CODE, "capitao", date(2026, 1, 1), act="Portaria 1"
        ),
    ):
        with pytest.raises(NotFound):
            act()


def test_passwords_stand_neither_in_the_database_nor_in_the_audit(desk: Desk, marina: int) -> None:
    with desk.store.reading() as session:
        stored = session.get_one(User, marina).password_hash
        entries = session.scalars(select(AuditEntry)).all()
    assert stored.startswith("$argon2id$") and PASSWORD not in stored
    assert not any(PASSWORD in repr((entry.before, entry.after)) for entry in entries)


@pytest.mark.parametrize(
    ("day", "held"),
    [
        (date(2026, 2, 28), False),
        (date(2026, 3, 1), True),
        (date(2026, 3, 31), True),
        (date(2026, 4, 1), False),
    ],
)
def test_an_office_is_held_from_the_first_to_the_last_day(
    desk: Desk, marina: int, jonas: Clerk, day: date, held: bool
) -> None:
    offices.appoint(
        jonas.occasion(),
        desk,
        marina,
        regime.CODE,
        "capitao",
        date(2026, 3, 1),
        date(2026, 3, 31),
        substitute=True,
        act="Portaria 7/2026",
    )
    with desk.store.reading() as session:
        found = offices.offices_of(session, "porto", marina, regime.CODE, day)
        assert bool(found) is held
        assert offices.may_decide(session, "porto", marina, regime.CODE, "capitao", day) is held
        assert not offices.may_decide(session, "porto", marina, regime.CODE, "conselho", day)
        assert not offices.may_decide(session, "outro", marina, regime.CODE, "capitao", day)


@pytest.mark.parametrize(
    ("since", "until", "again"),
    [
        (date(2026, 3, 1), None, True),
        (date(2026, 2, 1), date(2026, 3, 1), True),
        (date(2026, 2, 1), date(2026, 2, 28), False),
        (date(2026, 5, 31), None, True),
        (date(2026, 6, 1), None, False),
    ],
)
def test_one_user_is_appointed_once_for_the_same_days(
    desk: Desk, marina: int, jonas: Clerk, since: date, until: date | None, again: bool
) -> None:
    def name(first: date, last: date | None, **more: bool) -> int:
        return offices.appoint(
            jonas.occasion(), desk, marina, regime.CODE, "capitao", first, last, act="P 7/2026", **more
        )

    name(date(2026, 3, 1), date(2026, 5, 31))
    name(since, until, substitute=True)
    if again:
        with pytest.raises(Refused) as refused:
            name(since, until)
        assert "Já há esta nomeação, desde 01/03/2026" in refused.value.fields["since"]
    else:
        name(since, until)


def test_an_appointment_ends_and_needs_an_act_an_office_and_an_order_of_days(
    desk: Desk, marina: int, jonas: Clerk
) -> None:
    first = date(2026, 3, 1)
    with pytest.raises(Refused) as refused:
        offices.appoint(jonas.occasion(), desk, marina, regime.CODE, "rei", first, date(2026, 2, 1), act=" ")
    assert set(refused.value.fields) == {"office", "until", "act"}
    made = offices.appoint(jonas.occasion(), desk, marina, regime.CODE, "capitao", first, act="Portaria 7/2026")
    offices.end_appointment(jonas.occasion(), desk, made, date(2026, 5, 31))
    with desk.store.reading() as session:
        assert offices.names_in_office(session, "porto", regime.CODE, "capitao", date(2026, 5, 31))
        assert not offices.names_in_office(session, "porto", regime.CODE, "capitao", date(2026, 6, 1))
        (line,) = [each for each in users.users_of(session, "porto") if each.id == marina]
    assert line.roles == ("analista",) and line.offices[0].until == date(2026, 5, 31)
