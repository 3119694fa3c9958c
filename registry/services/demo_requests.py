"""The demonstration's requests: brought to their state by the same use cases as everyone's, on the days they tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time
from io import BytesIO
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.occasion import Occasion
from registry.domain.regime import Regime
from registry.services import assignment, charges, decisions, inspections, requests, waits
from registry.services.desk import Desk
from registry.services.inspection_pages import inspection_page
from registry.services.progress import progress_of, refresh_request
from registry.services.vault import Kept, enter_file, keep
from registry.settings import Authority
from registry.store.audit import record
from registry.store.charges import Charge
from registry.store.inspections import Inspection
from registry.store.requests import Request, RequestDocument

PAPER = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 62>>stream
BT /F1 18 Tf 72 760 Td (Documento inventado da demonstracao) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R/Size 6>>
%%EOF
"""
_REVIEWED = {"aceito", "com_ressalva", "recusado"}
_WORKED_ON = ("em_exigencia", "em_analise", "pronto", "indeferido")
Ids = tuple[int | None, int | None, int]


def tell_request(
    desk: Desk,
    regime: Regime,
    authority: Authority,
    at: datetime,
    row: Mapping[str, Any],
    staff: Mapping[tuple[str, str], int],
    ids: Ids,
) -> int:
    """Brings one request to the state that its row names; gives its id.

    Args:
        at: instant of the demonstration, after which nothing happens.
        row: as ``registry_demo_rows`` supplies it.
        staff: the user of each authority and role.
        ids: applicant, cooperative and vehicle.
    """
    return _Tale(desk, regime, authority, at, row, staff).run(ids)


class _Tale:
    def __init__(
        self,
        desk: Desk,
        regime: Regime,
        authority: Authority,
        at: datetime,
        row: Mapping[str, Any],
        staff: Mapping[tuple[str, str], int],
    ) -> None:
        self.desk, self.regime, self.authority, self.at = desk, regime, authority, at
        self.row, self.request, self.staff = row, row["request"], staff

    def by(self, role: str, on: date, hour: int = 10) -> Occasion:
        """An act of the user of a role on a day, not after the demonstration."""
        moment = datetime.combine(on, time(hour, 5), self.authority.zone)
        user_id = self.staff[self.authority.code, role]
        actor = f"{role}.{self.authority.code}"
        occasion = Occasion(actor, self.authority.code, min(moment, self.at), self.authority.zone, actor_id=user_id)
        return replace(occasion, trace_id="demo")

    def run(self, ids: Ids) -> int:
        applicant, cooperative, vehicle = ids
        asked = self.request
        opened = self.by("atendente", asked["opened_on"])
        links = {
            "holder_kind": asked["holder_kind"],
            "category": asked["category"],
            "applicant_id": applicant,
            "cooperative_id": cooperative,
            "vehicle_id": vehicle,
        }
        request_id = requests.open_request(
            opened, self.desk, self.regime.code, asked["kind"], links=links, facts=asked["facts"]
        )
        self._documents(request_id)
        if not asked["filed_on"]:
            return request_id
        requests.file_request(self.by("atendente", asked["filed_on"]), self.desk, request_id)
        if asked["state"] in _WORKED_ON:
            assignment.take_request(self.by("analista", asked["filed_on"], 11), self.desk, request_id)
        self._paid(request_id, before_inspection=True)
        for seen in self.row.get("inspections", ()):
            self._inspect(request_id, seen)
        self._paid(request_id, before_inspection=False)
        self._end(request_id)
        return request_id

    def _documents(self, request_id: int) -> None:
        """The papers in one stroke, as the use cases would have left them; one at a time they take a minute."""
        asked = self.request
        sent = self.by("atendente", asked["opened_on"])
        reviewed = self.by("analista", asked["filed_on"] or asked["opened_on"], 11)
        kept = keep(self.desk.files, BytesIO(PAPER), "documento.pdf", self.desk.settings.upload_limit)
        with self.desk.store.writing() as session:
            progress = progress_of(session, self.desk, self.authority.code, request_id, sent.at)
            wanted = {each.code: each for each in progress.wanted}
            for paper in asked["documents"]:
                if paper["status"] == "falta" or paper["code"] not in wanted:
                    continue
                for _ in range(paper["copies"]):
                    restricted = wanted[paper["code"]].restricted
                    self._paper(session, request_id, paper, kept, restricted, sent, reviewed)
            refresh_request(session, self.desk, reviewed, request_id)

    def _paper(
        self,
        session: Session,
        request_id: int,
        paper: Mapping[str, Any],
        kept: Kept,
        restricted: bool,
        sent: Occasion,
        reviewed: Occasion,
    ) -> None:
        named = replace(kept, name=f"{paper['code']}.pdf")
        file_id = enter_file(session, sent, named, restricted=restricted)
        done = paper["status"] in _REVIEWED
        session.add(
            RequestDocument(
                request_id=request_id,
                code=paper["code"],
                file_id=file_id,
                status=paper["status"],
                expires_on=paper["expires_on"],
                reason=paper["reason"],
                reviewed_by=reviewed.actor_id if done else None,
                reviewed_at=reviewed.at if done else None,
                created_at=sent.at,
            )
        )
        after = {"code": paper["code"], "status": paper["status"], "sha256": kept.sha256}
        record(session, reviewed if done else sent, "document.sent", "request", request_id, None, after)

    def _paid(self, request_id: int, *, before_inspection: bool) -> None:
        """Pays what the row says was paid, as far as it is open yet."""
        for entry in self.request["charges"]:
            if entry["paid_on"] is None:
                continue
            with self.desk.store.reading() as session:
                found = session.execute(
                    select(Charge.id).where(
                        Charge.request_id == request_id, Charge.plan == entry["plan"], Charge.settled_at.is_(None)
                    )
                ).scalar_one_or_none()
            if found is not None:
                occasion = self.by("tesouraria", entry["paid_on"], 10 if before_inspection else 17)
                charges.receive_payment(occasion, self.desk, [found], entry["paid_on"], "pix")

    def _inspect(self, request_id: int, seen: Mapping[str, Any]) -> None:
        when: datetime = seen["scheduled_at"].replace(tzinfo=self.authority.zone)
        booked_on = min(max(self.request["filed_on"], self._first_payment()), when.date())
        booking = self.by("atendente", booked_on, 7)
        inspection_id = inspections.book_inspection(booking, self.desk, request_id, when, seen["place"])
        if seen["done_on"] is None:
            return
        occasion = self.by("vistoriador", seen["done_on"], when.hour + 1)
        with self.desk.store.reading() as session:
            page = inspection_page(session, self.desk, self.authority.code, inspection_id, occasion.at)
        marks = {line.item.code: seen["items"].get(line.item.code, {"result": "ok"}) for line in page.items}
        *first, last = marks.items()
        with self.desk.store.writing() as session:
            session.get_one(Inspection, inspection_id).items = dict(first)
        version = inspections.save_item(
            occasion, self.desk, inspection_id, page.version, last[0], last[1]["result"], last[1].get("reason", "")
        )
        inspections.conclude_inspection(occasion, self.desk, inspection_id, version)

    def _first_payment(self) -> date:
        paid: list[date] = [entry["paid_on"] for entry in self.request["charges"] if entry["paid_on"]]
        filed: date = self.request["filed_on"]
        return min(paid, default=filed)

    def _end(self, request_id: int) -> None:
        asked = self.request
        if asked["state"] == "em_exigencia":
            on = min(self.at.astimezone(self.authority.zone).date(), asked["filed_on"])
            waits.open_exigencia(self.by("analista", on, 15), self.desk, request_id, asked["text"])
        elif asked["state"] == "desistencia":
            requests.withdraw_request(self.by("atendente", asked["decided_on"]), self.desk, request_id, asked["text"])
        elif asked["state"] == "indeferido":
            with self.desk.store.reading() as session:
                version = session.execute(select(Request.version).where(Request.id == request_id)).scalar_one()
            occasion = self.by("diretor", asked["decided_on"], 16)
            decisions.decide(occasion, self.desk, request_id, version, "indeferido", asked["text"])
