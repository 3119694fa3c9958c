from __future__ import annotations

from datetime import date, timedelta

import pytest

from registry.services.assignment import take_request
from registry.services.desk import Desk
from registry.services.errors import NotFound
from registry.services.requests import file_request, open_request, withdraw_request
from registry.services.waits import open_exigencia, propose_refusal
from registry.services.worklist import Filters, Worklist, next_holiday, worklist
from registry.store.requests import Request
from tests import factories
from tests.factories import PORT, Clerk
from tests.regime import CODE

TODAY = date(2026, 11, 30)


def listed(desk: Desk, by: Clerk, tab: str, filters: Filters | None = None, page: int = 1, **ahead: float) -> Worklist:
    with desk.store.reading() as session:
        return worklist(session, desk, by.occasion(**ahead), tab, filters, page)


def many(desk: Desk, by: Clerk, count: int, due: date | None = None) -> list[int]:
    """Filed requests of one applicant for one boat, written straight into the table after the first."""
    first = factories.filed(desk, by)
    with desk.store.writing() as session:
        row = session.get_one(Request, first)
        row.due_on = due or row.due_on
        rows = [
            Request(
                authority=PORT,
                regime=CODE,
                kind="renovacao",
                number=f"2026/9{number:05d}",
                applicant_id=row.applicant_id,
                vehicle_id=row.vehicle_id,
                state="protocolado",
                shown="protocolado",
                next_step="Pegar para análise",
                due_on=TODAY + timedelta(days=number),
                opened_at=row.opened_at,
                filed_at=row.filed_at,
            )
            for number in range(count - 1)
        ]
        session.add_all(rows)
        session.flush()
        return [first, *(each.id for each in rows)]


def test_each_tab_holds_its_own(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    waiting, ready, decided, nobody, *_ = many(desk, jonas, 4)
    take_request(jonas.occasion(), desk, waiting)
    open_exigencia(jonas.occasion(), desk, waiting, "x")
    take_request(rita.occasion(), desk, ready)
    propose_refusal(rita.occasion(), desk, ready, "x")
    withdraw_request(jonas.occasion(), desk, decided, "x")
    found = {
        tab: [line.id for line in listed(desk, jonas, tab).lines]
        for tab in ("comigo", "atrasados", "sem_responsavel", "aguardam", "prontos", "decididos")
    }
    assert found == {
        "comigo": [waiting],
        "atrasados": [ready],
        "sem_responsavel": [nobody],
        "aguardam": [waiting],
        "prontos": [ready],
        "decididos": [decided],
    }
    assert listed(desk, jonas, "comigo").counts == {
        "comigo": 1,
        "atrasados": 1,
        "sem_responsavel": 1,
        "aguardam": 1,
        "prontos": 1,
    }


@pytest.mark.parametrize(
    ("due", "label", "late"),
    [
        (date(2026, 11, 26), "atrasado 2 dias úteis", True),
        (date(2026, 11, 27), "atrasado 1 dia útil", True),
        (date(2026, 11, 30), "vence hoje", False),
        (date(2026, 12, 1), "em 1 dia útil", False),
        (date(2026, 12, 9), "em 6 dias úteis", False),  # 08/12 is closed
    ],
)
def test_the_label_of_the_last_day(desk: Desk, jonas: Clerk, due: date, label: str, late: bool) -> None:
    many(desk, jonas, 1, due)
    (line,) = listed(desk, jonas, "sem_responsavel").lines
    assert (line.due_on, line.due_label, line.late) == (due, label, late)


def test_a_line_says_who_what_and_the_next_step(desk: Desk, jonas: Clerk) -> None:
    factories.filed(desk, jonas)
    (line,) = listed(desk, jonas, "sem_responsavel").lines
    assert (line.number, line.kind_label, line.regime_label) == ("2026/000001", "Permissão nova", "Barcas")
    assert (line.applicant, line.plate, line.assigned_name) == ("Ana Lima", "RZT6B18", "")
    assert (line.shown_label, line.next_step) == ("Aguarda pagamento", "Receber Vistoria")


def test_the_most_urgent_comes_first_twenty_a_page(desk: Desk, jonas: Clerk) -> None:
    made = many(desk, jonas, 45)
    first, last = listed(desk, jonas, "sem_responsavel"), listed(desk, jonas, "sem_responsavel", page=3)
    assert (first.total, first.pages, first.first, first.last) == (45, 3, 1, 20)
    assert (last.first, last.last, len(last.lines)) == (41, 45, 5)
    days = [line.due_on for line in first.lines if line.due_on]
    assert days == sorted(days)
    assert {line.id for line in (*first.lines, *last.lines)} < set(made)


@pytest.mark.parametrize("page", [0, -1, 2, 999])
def test_a_page_that_is_not_there_is_not_found(desk: Desk, jonas: Clerk, page: int) -> None:
    many(desk, jonas, 2)
    with pytest.raises(NotFound):
        listed(desk, jonas, "sem_responsavel", page=page)


def test_an_unknown_tab_is_not_found(desk: Desk, jonas: Clerk) -> None:
    with pytest.raises(NotFound):
        listed(desk, jonas, "qualquer")


def test_filters_limit_the_list_and_say_that_they_do(desk: Desk, jonas: Clerk) -> None:
    many(desk, jonas, 3)
    found = listed(desk, jonas, "sem_responsavel", Filters(kind="novo"))
    assert [line.kind_label for line in found.lines] == ["Permissão nova"]
    assert (found.total, found.counts["sem_responsavel"], found.filtered) == (1, 3, True)
    nothing = listed(desk, jonas, "comigo")
    assert (nothing.lines, nothing.filtered, nothing.first, nothing.pages) == ((), False, 0, 1)
    assert listed(desk, jonas, "sem_responsavel", Filters(regime="trens")).lines == ()


def test_another_authority_sees_none_of_it(desk: Desk, jonas: Clerk, stranger: Clerk) -> None:
    many(desk, jonas, 3)
    for tab in ("comigo", "sem_responsavel", "atrasados"):
        found = listed(desk, stranger, tab)
        assert found.lines == () and sum(found.counts.values()) == 0


def test_a_draft_is_with_whom_opened_it(desk: Desk, jonas: Clerk, rita: Clerk) -> None:
    made = open_request(jonas.occasion(), desk, CODE, "novo")
    assert [line.id for line in listed(desk, jonas, "comigo").lines] == [made]
    assert listed(desk, rita, "comigo").lines == ()


def test_late_is_judged_in_the_authoritys_day(desk: Desk, jonas: Clerk) -> None:
    many(desk, jonas, 1, TODAY)
    assert listed(desk, jonas, "atrasados", hours=11.5).lines[0].due_label == "vence hoje"
    assert listed(desk, jonas, "atrasados", hours=12).lines[0].due_label == "atrasado 1 dia útil"


def test_the_next_holiday_is_told(desk: Desk, jonas: Clerk) -> None:
    with desk.store.reading() as session:
        assert next_holiday(session, desk, jonas.occasion()) == (date(2026, 12, 8), "Padroeira")
        assert next_holiday(session, desk, jonas.occasion(), within_days=7) is None
        assert next_holiday(session, desk, jonas.occasion(), within_days=8) is not None


def test_filing_moves_a_draft_to_the_queue(desk: Desk, jonas: Clerk) -> None:
    made = factories.draft(desk, jonas)
    file_request(jonas.occasion(), desk, made)
    assert listed(desk, jonas, "comigo").lines == ()
    assert [line.id for line in listed(desk, jonas, "sem_responsavel").lines] == [made]
