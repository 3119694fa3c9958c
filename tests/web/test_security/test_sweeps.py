"""Every address against every way in that is closed: another authority, no token, no role, a plugin that is gone."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from registry.domain.law import Question
from registry.web.access import PUBLIC, STAFF, mark_of
from registry.web.edge import EXTENSION
from tests.web.conftest import Someone
from tests.web.records import CHARTER, configured, logged_in
from tests.web.test_security.conftest import about_records

HX = {"HX-Request": "true"}


@pytest.mark.parametrize(("own", "other"), [("emtu", "recife"), ("recife", "emtu")])
def test_records_of_another_authority_are_not_there(app, town, everyone, token, deeds, own, other):
    theirs, staff = town(other), everyone(own)
    sent = {"csrf_token": token(staff), "version": "1", "reason": "x", "text": "x", "method": "pix"}
    before = deeds()
    tried = [(method, where) for rule, method in about_records(app) for where in theirs.addresses(rule)]
    for method, where in tried:
        for headers in ({}, HX):
            data = sent if method == "POST" else None
            response = staff.open(where, method=method, headers=headers, data=data, follow_redirects=True)
            if "HX-Redirect" in response.headers:
                response = staff.get(response.headers["HX-Redirect"])
            assert response.status_code == 404, f"{method} {where}: {response.status_code}"
            for told in ("Ana Lima", "Jonas Melo", "RZT6B18", "Rota Viva", "023.456"):
                assert told not in response.text, f"{method} {where}: {told}"
    assert deeds() == before


def test_the_same_addresses_open_in_their_own_authority(app, town, everyone):
    """Else the sweep above would pass over a town where nothing is."""
    for authority in ("emtu", "recife"):
        ours, staff = town(authority), everyone(authority)
        where = [each for rule, method in about_records(app) if method == "GET" for each in ours.addresses(rule)]
        closed = [each for each in where if staff.get(each).status_code == 404]
        assert len(closed) <= 6, sorted(closed)


def test_the_forms_of_the_till_take_no_record_of_another_authority(town, everyone, token, deeds):
    theirs, staff = town("recife"), everyone("emtu")
    before = deeds()
    for path in ("/tesouraria/receber", "/tesouraria/conferir"):
        for field in ("charge_id", "request_id", "charge"):
            sent = {
                "csrf_token": token(staff),
                "on_day": "30/11/2026",
                "method": "pix",
                field: str(theirs.ids["charge_id"]),
            }
            response = staff.post(path, data=sent, follow_redirects=True)
            assert response.status_code in (404, 422, 200), response.status_code
            assert "Rota Viva" not in response.text
    assert deeds() == before


@pytest.mark.parametrize("how", ["missing", "of another session", "made up", "empty"])
def test_nothing_is_done_without_the_sessions_token(app, town, everyone, client_as, token, deeds, how):
    ours, staff = town("emtu"), everyone("emtu")
    with staff.session_transaction() as session:
        session["csrf_token"] = "1" * 40
    given = {"missing": {}, "of another session": {"csrf_token": token(client_as("analista"))}}
    sent = given.get(how, {"csrf_token": "" if how == "empty" else "x.y.z"}) | {"reason": "x", "version": "1"}
    before = deeds()
    for rule in app.url_map.iter_rules():
        if "POST" in rule.methods and rule.endpoint != "static":
            response = staff.post(ours.address(rule), data=sent)
            assert response.status_code == 400, f"{rule}: {response.status_code}"
    assert deeds() == before


def test_no_view_is_spared_from_the_token(app):
    from registry.web.edge import csrf

    assert not csrf._exempt_views and not csrf._exempt_blueprints


def test_a_role_opens_what_the_settings_say_and_nothing_else(app, town, someone, enter, token, settings):
    ours = town("emtu")
    for role in settings.roles:
        staff = enter(someone(role))
        sent = {"csrf_token": token(staff)}
        for rule in app.url_map.iter_rules():
            mark = mark_of(app.view_functions[rule.endpoint])
            if mark in (PUBLIC, STAFF) or role in settings.permissions[mark]:
                continue
            for method in sorted(rule.methods & {"GET", "POST"}):
                response = staff.open(ours.address(rule), method=method, data=sent if method == "POST" else None)
                assert response.status_code == 403, f"{role} {method} {rule}: {response.status_code}"


def test_a_role_that_was_taken_away_is_gone_at_the_next_click(app, someone, enter, settings):
    from registry.store.access import UserRole

    ana: Someone = someone("administrador")
    staff = enter(ana)
    assert staff.get("/administracao/usuarios").status_code == 200
    with app.extensions[EXTENSION].store.writing() as session:
        session.query(UserRole).filter_by(user_id=ana.id).delete()
    assert staff.get("/administracao/usuarios").status_code == 403


def test_no_page_breaks_without_the_regimes_plugin(app, town, someone, settings, clock, token):
    ours = town("emtu")
    emtu = replace(settings.authorities["emtu"], regimes=())
    left = tuple(name for name in settings.plugins if name != CHARTER)
    authorities = MappingProxyType({**settings.authorities, "emtu": emtu})
    bare = configured(app, clock, replace(settings, plugins=left, authorities=authorities))
    staff = logged_in(bare, clock, someone(*settings.roles))
    sent = {"csrf_token": token(staff), "version": "1", "reason": "x", "text": "x"}
    for rule in bare.url_map.iter_rules():
        if rule.endpoint in ("static", "login.leave", "login.enter"):
            continue
        for method in sorted(rule.methods & {"GET", "POST"}):
            where = ours.address(rule)
            response = staff.open(where, method=method, data=sent if method == "POST" else None)
            assert response.status_code < 500, f"{method} {where}: {response.status_code}"
    for queue in ("comigo", "atrasados", "sem_responsavel", "aguardam", "prontos", "decididos"):
        assert staff.get(f"/inicio?fila={queue}").status_code == 200


@pytest.mark.parametrize("authority", ["emtu", "recife"])
def test_rules_that_raise_are_told_everywhere_and_nothing_is_saved(
    app, town, everyone, token, deeds, monkeypatch, authority
):
    ours, staff = town(authority), everyone(authority)
    sent = {
        "csrf_token": token(staff),
        **dict.fromkeys(("version", "charge"), "1"),
        **dict.fromkeys(("reason", "text", "note", "act", "place"), "x"),
        **dict.fromkeys(("on_day", "day", "since", "expires_on"), "30/11/2026"),
        "result": "indeferido",
        "status": "aceito",
        "method": "pix",
        "charge_id": str(ours.ids["charge_id"]),
    }

    def broken(*_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(Question, "__call__", broken)
    told = 0
    for rule in app.url_map.iter_rules():
        if rule.endpoint in ("static", "login.leave", "login.enter"):
            continue
        for method in sorted(rule.methods & {"GET", "POST"}):
            before, where = deeds(), ours.address(rule)
            response = staff.open(where, method=method, data=sent if method == "POST" else None)
            assert response.status_code < 500 or response.status_code == 503, f"{method} {where}"
            if response.status_code == 503:
                told += 1
                assert deeds() == before, f"{method} {where}"
    assert told > 5
    answer = app.test_client().get("/consulta?placa=RZT6B18")
    assert answer.status_code == 200 and "indisponível" in answer.text


@pytest.mark.parametrize("field", ["reason", "note", "text"])
def test_no_text_without_end_goes_into_the_process(app, town, everyone, token, deeds, field):
    """PostgreSQL refuses what a column cannot hold, and the audit would keep a megabyte for ever."""
    ours, staff = town("emtu"), everyone("emtu")
    sent = {
        "csrf_token": token(staff),
        "version": "1",
        **dict.fromkeys(("reason", "text", "note", "act", "place", "outcome"), "x"),
        **dict.fromkeys(("on_day", "day", "since", "until", "last_day", "on"), "30/11/2026"),
        "to_user_id": "0",
        field: "x" * 10_001,
    }
    for rule in app.url_map.iter_rules():
        if "POST" in rule.methods and rule.endpoint not in ("login.leave", "login.enter"):
            before = deeds()
            staff.post(ours.address(rule), data=sent)
            kept = _newest(app) if deeds() > before else ""
            assert "x" * 10_001 not in kept, f"{rule}"


def _newest(app) -> str:
    from registry.store.audit import AuditEntry

    with app.extensions[EXTENSION].store.reading() as session:
        newest = session.query(AuditEntry).order_by(AuditEntry.seq.desc()).first()
        return f"{newest.before}{newest.after}"
