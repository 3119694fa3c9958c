"""What the public sees of a taxi: its card, and the bandeira and rendição of the moment."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from registry.api.law import Dossier, Law, NowFact, PublicCard, Vehicle, Verdict, tie
from registry_taxi_recife import givens
from registry_taxi_recife.rules.bandeira import BandeiraAnswer, BandeiraGiven, bandeira
from registry_taxi_recife.rules.rendicao import RendicaoAnswer, RendicaoGiven, groups, hours, rendicao
from registry_taxi_recife.rules.vehicle_age import age_ground

SERVICES = {"comum": "táxi comum", "especial": "táxi especial"}
_DAY = timedelta(days=1)


def card(dossier: Dossier, law: Law) -> PublicCard:
    """The permit's public facts; never a natural person's name. A value's second line stands after a line break."""
    permit, car = dossier.permit, dossier.vehicle
    category = permit.category if permit else ""
    lines = [
        *_permit_lines(dossier, law),
        *_paper_line("Alvará", "card_alvara", givens.alvara_until(dossier), dossier.on, law),
        *_paper_line("Vistoria", "card_inspection", givens.inspection_until(dossier), dossier.on, law),
        *_ponto_line(dossier),
        *(_car_line(car) if car else ()),
    ]
    return PublicCard(
        plate=car.plate if car else "",
        regime=dossier.regime,
        category=category,
        number=permit.number if permit else "",
        since=permit.granted_on if permit and permit.granted_on_known else None,
        valid_until=_valid_until(dossier, law),
        lines=tuple((label, tie(text)) for label, text in lines),
        facts={"service": category if category in SERVICES else "comum"},
    )


def now(card: PublicCard, at: datetime, law: Law) -> tuple[NowFact, ...]:
    """The bandeira in force and until when, and today's rendição windows and whether the taxi is in one."""
    band = bandeira(BandeiraGiven(at, card.facts.get("service", "comum")), law)
    facts = [_band_fact(band, law)]
    windows = rendicao(RendicaoGiven(card.plate, at), law)
    if windows.answer.error is None:
        facts.append(_rendicao_fact(windows, at, law))
    return tuple(facts)


def _permit_lines(dossier: Dossier, law: Law) -> list[tuple[str, str]]:
    permit, holder = dossier.permit, dossier.holder
    lines = []
    if permit is not None:
        category = SERVICES.get(permit.category, permit.category)
        texts = [law.say("card_permit", number=permit.number, category=category)]
        if permit.granted_on_known:
            texts.append(law.say("card_since", since=permit.granted_on))
        lines.append(("Permissão", "\n".join(texts)))
    if holder is not None and holder.kind != "natural":
        lines.append(("Empresa" if holder.kind == "company" else "Cooperativa", holder.name))
    return lines


def _paper_line(label: str, code: str, until: date | None, on: date, law: Law) -> list[tuple[str, str]]:
    if until is None:
        return []
    return [(label, law.say(code if on <= until else f"{code}_over", until=until))]


def _ponto_line(dossier: Dossier) -> list[tuple[str, str]]:
    ponto = dossier.plugin_facts.get("taxi_pontos", {}).get("ponto")
    return [("Ponto", str(ponto))] if ponto else []


def _car_line(car: Vehicle) -> list[tuple[str, str]]:
    """Make and colour alone: they show whether the car at the kerb is the one of the plate."""
    words = " ".join(word for word in (car.make, car.model, car.colour.lower()) if word)
    return [("Carro", words)] if words else []


def _valid_until(dossier: Dossier, law: Law) -> date | None:
    """The last day on which alvará, inspection and age all still allow; None without an alvará."""
    alvara = givens.alvara_until(dossier)
    if alvara is None:
        return None
    ends = [alvara, givens.inspection_until(dossier)]
    if dossier.vehicle is not None and dossier.vehicle.year_made is not None:
        car = dossier.vehicle
        ends.append(age_ground(dossier.vehicle.year_made, car.first_registered_on, dossier.on, law)[1])
    if dossier.permit is not None and dossier.permit.ended_on is not None:
        ends.append(dossier.permit.ended_on - _DAY)
    return min(end for end in ends if end is not None)


def _band_fact(verdict: Verdict[BandeiraAnswer], law: Law) -> NowFact:
    answer = verdict.answer
    return NowFact(
        code="bandeira",
        label=law.say("now_band_label"),
        headline=law.say("now_band", band=answer.bandeira),
        detail=_band_detail(verdict, law),
        data={
            "bandeira": answer.bandeira,
            "basis": answer.basis,
            "until": answer.until.replace(tzinfo=law.zone).isoformat() if answer.until else None,
            "then": answer.then,
        },
        grounds=verdict.grounds,
        page="bandeiras.page",
    )


def _band_detail(verdict: Verdict[BandeiraAnswer], law: Law) -> str:
    answer, facts = verdict.answer, verdict.grounds[0].facts
    code = verdict.grounds[0].code
    until = _until_text(answer, law)
    if code == "band_weekday":
        return law.say("now_weekday", weekday=facts["weekday"])
    if code == "band_holiday":
        return law.say("now_holiday", holiday=facts["holiday"])
    if code == "band_by_act":
        return f"{law.say('now_by_act', act=facts['act'])} {until}".strip()
    return until


def _until_text(answer: BandeiraAnswer, law: Law) -> str:
    if answer.until is None:
        return ""
    facts: dict[str, Any] = {"until": answer.until, "then": answer.then}
    days = (answer.until.date() - answer.local.date()).days
    if days <= 1:
        return law.say("now_until" if days else "now_until_then", **facts)
    return law.say("now_until_day_then", day=answer.until.date(), **facts)


def _rendicao_fact(verdict: Verdict[RendicaoAnswer], at: datetime, law: Law) -> NowFact:
    answer = verdict.answer
    on = at.astimezone(law.zone).date()
    group = next(group for group in groups(law, on) if group.provision == answer.rule)
    text = hours(group.spans)
    inside = answer.in_window
    headline = law.say("now_rendicao", until=answer.until) if inside else law.say("now_rendicao_no")
    return NowFact(
        code="rendicao",
        label=law.say("now_rendicao_label"),
        headline=headline,
        detail=law.say("now_rendicao_detail" if inside else "now_rendicao_hours", hours=text),
        data={
            "in_window": inside,
            "windows": list(answer.windows),
            "until": answer.until.replace(tzinfo=law.zone).isoformat() if answer.until else None,
        },
        grounds=verdict.grounds,
        highlight=inside,
        page="rendicao.page",
    )
