from __future__ import annotations

from datetime import date, timedelta

import pytest
from sqlalchemy import select

from registry.services.desk import Desk
from registry.services.errors import NotFound, Refused, Stale
from registry.services.people import (
    PersonInput,
    add_member,
    create_person,
    end_membership,
    find_by_document,
    is_member,
    update_person,
)
from registry.store.audit import AuditEntry, verify
from registry.store.people import Person
from registry.store.permits import PublicRow
from tests import factories
from tests.factories import CNPJS, CPFS, NOON, PORT, Clerk

TODAY = date(2026, 11, 30)


def entered(**changed: object) -> PersonInput:
    values = {"kind": "natural", "document": CPFS[0], "name": "Ana Lima", **changed}
    return PersonInput(**values)  # type: ignore[arg-type]


def test_a_person_is_entered_once_and_found_by_number(desk: Desk, jonas: Clerk) -> None:
    made = create_person(jonas.occasion(), desk, entered(document="023.456.781-35", name="  Ana   Lima "))
    with desk.store.reading() as session:
        found = find_by_document(session, PORT, "023.456.781-35")
        row = session.get_one(Person, made)
    assert found is not None
    assert (found.id, found.name, found.document) == (made, "Ana Lima", "023.456.781-35")
    assert (row.document, row.name_folded, row.nationality) == ("02345678135", "ana lima", "brasileira")


def test_a_second_person_with_the_same_number_names_the_first(desk: Desk, jonas: Clerk) -> None:
    first = create_person(jonas.occasion(), desk, entered())
    with pytest.raises(Refused) as refused:
        create_person(jonas.occasion(), desk, entered(name="Ana L."))
    assert refused.value.fields["document"] == "Já existe: Ana Lima. Abrir"
    assert refused.value.existing["document"].id == first


def test_the_other_authority_may_have_the_same_person_and_sees_none_of_ours(
    desk: Desk, jonas: Clerk, stranger: Clerk
) -> None:
    ours = create_person(jonas.occasion(), desk, entered())
    theirs = create_person(stranger.occasion(), desk, entered())
    assert ours != theirs
    with pytest.raises(NotFound):
        update_person(stranger.occasion(), desk, ours, 1, {"phone": "1"})
    with desk.store.reading() as session:
        found = find_by_document(session, PORT, CPFS[0])
    assert found is not None and found.id == ours


@pytest.mark.parametrize(
    ("kind", "document", "text"),
    [
        ("natural", "", "Digite o CPF."),
        ("natural", "12345678A58", "Confira o CPF: a 9ª posição é um número, e você digitou a letra A."),
        ("natural", "02345678136", "Confira o CPF: os dois últimos números não batem com os outros."),
        ("natural", CNPJS[1], "O CPF tem 11 números. Você digitou 14."),
        ("company", CPFS[0], "O CNPJ tem 14 letras e números. Você digitou 11."),
        ("company", "64.637.agsvs009/0001-90", "O CNPJ tem 14 letras e números. Você digitou 19."),
        ("cooperative", "11.111.111/1111-11", "Confira o CNPJ: todos os números são iguais."),
    ],
)
def test_a_wrong_number_is_told_beside_the_field(desk: Desk, jonas: Clerk, kind: str, document: str, text: str) -> None:
    with pytest.raises(Refused) as refused:
        create_person(jonas.occasion(), desk, entered(kind=kind, document=document))
    assert refused.value.fields == {"document": text}


def test_an_alphanumeric_cnpj_is_a_company(desk: Desk, jonas: Clerk) -> None:
    factories.company(desk, jonas, "12.ABC.345/01DE-35")
    with desk.store.reading() as session:
        found = find_by_document(session, PORT, "12abc34501de35")
    assert found is not None and found.document == "12.ABC.345/01DE-35"


def test_every_wrong_field_is_told_at_once_and_nothing_is_saved(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused) as refused:
        create_person(
            jonas.occasion(),
            desk,
            entered(document="1", name=" ", born_on=TODAY + timedelta(days=1), email="ana"),
        )
    assert refused.value.fields.keys() == {"document", "name", "born_on", "email"}
    assert refused.value.fields["born_on"] == "A data não pode ser depois de hoje (30/11/2026)."
    with desk.store.reading() as session:
        assert session.scalars(select(Person)).all() == []
        assert session.scalars(select(AuditEntry)).all() == []


def test_today_is_a_birthday_and_the_day_is_the_authoritys(desk: Desk, jonas: Clerk) -> None:
    late = jonas.occasion(NOON + timedelta(hours=11))  # 23:00 in the authority's zone, tomorrow in UTC
    with pytest.raises(Refused):
        create_person(late, desk, entered(born_on=TODAY + timedelta(days=1)))
    assert create_person(late, desk, entered(born_on=TODAY))


def test_a_cnh_whose_sum_fails_waits_for_the_clerks_word(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused) as refused:
        create_person(jonas.occasion(), desk, entered(cnh="12345678901"))
    assert refused.value.confirm == {"cnh"}
    assert "marque «Confirmo»" in refused.value.fields["cnh"]
    made = create_person(jonas.occasion(), desk, entered(cnh="12345678901", cnh_confirmed=True))
    update_person(jonas.occasion(), desk, made, 1, {"phone": "3222"})
    with desk.store.reading() as session:
        row = session.get_one(Person, made)
    assert (row.cnh, row.cnh_confirmed, row.phone) == ("12345678901", True, "3222")


def test_a_cnh_of_the_wrong_shape_cannot_be_confirmed(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(Refused) as refused:
        create_person(jonas.occasion(), desk, entered(cnh="123", cnh_confirmed=True))
    assert refused.value.confirm == frozenset()


def test_a_repeated_click_enters_one_person(desk: Desk, jonas: Clerk) -> None:
    first = create_person(jonas.occasion(once_key="k1"), desk, entered())
    assert create_person(jonas.occasion(once_key="k1"), desk, entered()) == first
    with desk.store.reading() as session:
        assert len(session.scalars(select(Person)).all()) == 1


def test_a_stale_save_shows_both_values_field_by_field(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = create_person(jonas.occasion(), desk, entered(phone="1000", address="Rua A"))
    update_person(rita.occasion(minutes=5), desk, made, 1, {"phone": "2000"})
    update_person(rita.occasion(minutes=6), desk, made, 2, {"phone": "2001"})
    with pytest.raises(Stale) as stale:
        update_person(jonas.occasion(minutes=9), desk, made, 1, {"phone": "3000", "address": "Rua A"})
    (entry,) = stale.value.entries
    assert (entry.field, entry.label) == ("phone", "Telefone")
    assert (entry.before, entry.mine, entry.theirs) == ("1000", "3000", "2001")
    assert (stale.value.by, stale.value.at, stale.value.version) == ("Rita", NOON + timedelta(minutes=6), 3)
    assert update_person(jonas.occasion(minutes=10), desk, made, stale.value.version, {"phone": "3000"})


def test_a_stale_day_comes_back_as_a_day(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = create_person(jonas.occasion(), desk, entered(born_on=date(1980, 5, 6)))
    update_person(rita.occasion(), desk, made, 1, {"born_on": date(1980, 6, 5)})
    with pytest.raises(Stale) as stale:
        update_person(jonas.occasion(), desk, made, 1, {"born_on": date(1981, 5, 6)})
    assert stale.value.entries[0].before == date(1980, 5, 6)


def test_saving_what_stands_already_changes_nothing_even_from_an_old_page(
    desk: Desk, jonas: Clerk, rita: Clerk
) -> None:
    made = create_person(jonas.occasion(), desk, entered())
    update_person(rita.occasion(), desk, made, 1, {"phone": "2000"})
    assert update_person(jonas.occasion(), desk, made, 1, {"phone": "2000"}) is False
    with desk.store.reading() as session:
        assert session.get_one(Person, made).version == 2
        assert verify(session).intact


def test_a_record_without_number_can_get_its_telephone(desk: Desk, jonas: Clerk) -> None:
    made = create_person(jonas.occasion(), desk, entered())
    with desk.store.writing() as session:
        session.get_one(Person, made).document = ""
    assert update_person(jonas.occasion(), desk, made, 1, {"phone": "9"})


def test_the_name_is_found_by_its_new_form_after_a_correction(desk: Desk, jonas: Clerk) -> None:
    made = create_person(jonas.occasion(), desk, entered())
    update_person(jonas.occasion(), desk, made, 1, {"name": "Conceição Ávila"})
    with desk.store.reading() as session:
        assert session.get_one(Person, made).name_folded == "conceicao avila"


def test_a_membership_holds_from_its_first_day_to_its_last(desk: Desk, jonas: Clerk) -> None:
    coop, ana = factories.cooperative(desk, jonas), factories.person(desk, jonas)
    membership = add_member(jonas.occasion(), desk, coop, ana, date(2026, 3, 1))
    with pytest.raises(Refused) as refused:
        add_member(jonas.occasion(), desk, coop, ana, date(2026, 4, 1))
    assert refused.value.fields["member_id"] == "Ana Lima já é desta cooperativa desde 01/03/2026."
    with pytest.raises(Refused):
        end_membership(jonas.occasion(), desk, membership, date(2026, 2, 28))
    end_membership(jonas.occasion(), desk, membership, date(2026, 10, 31))
    with desk.store.reading() as session:
        days = (date(2026, 2, 28), date(2026, 3, 1), date(2026, 10, 31), date(2026, 11, 1))
        assert [is_member(session, coop, ana, day) for day in days] == [False, True, True, False]
    assert add_member(jonas.occasion(), desk, coop, ana, date(2026, 11, 1)) != membership


def test_only_a_person_joins_and_only_a_cooperative_has_members(desk: Desk, jonas: Clerk) -> None:
    coop, ana = factories.cooperative(desk, jonas), factories.person(desk, jonas)
    firm = factories.company(desk, jonas)
    with pytest.raises(Refused, match="não é cooperativa"):
        add_member(jonas.occasion(), desk, firm, ana, TODAY)
    with pytest.raises(Refused, match="não é pessoa física"):
        add_member(jonas.occasion(), desk, coop, firm, TODAY)
    with pytest.raises(Refused, match="depois de hoje"):
        add_member(jonas.occasion(), desk, coop, ana, TODAY + timedelta(days=1))


def test_memberships_of_another_authority_cannot_be_touched(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    coop, ana = factories.cooperative(desk, jonas), factories.person(desk, jonas)
    with pytest.raises(NotFound):
        add_member(stranger.occasion(), desk, coop, ana, TODAY)
    membership = add_member(jonas.occasion(), desk, coop, ana, TODAY)
    with pytest.raises(NotFound):
        end_membership(stranger.occasion(), desk, membership, TODAY)


def test_a_corrected_holder_is_what_the_public_row_is_made_of(desk: Desk, jonas: Clerk) -> None:
    ana = factories.person(desk, jonas)
    permit = factories.permit(desk.store, ana, factories.vehicle(desk, jonas))
    assert update_person(jonas.occasion(), desk, ana, 1, {"name": "Ana Lima Souza"})
    with desk.store.reading() as session:
        rows = session.scalars(select(PublicRow).where(PublicRow.permit_id == permit)).all()
    assert [row.plate for row in rows][:1] == ["RZT6B18"]
