"""The main screens of the demonstration: who opens each, and where it stands in the filled database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from registry.domain.dossier import PersonKind
from registry.store.acts import Act
from registry.store.charges import Receipt
from registry.store.inspections import Inspection
from registry.store.people import Person
from registry.store.permits import Permit, PermitVehicle
from registry.store.requests import Request, RequestDocument
from registry.store.vehicles import Vehicle

Find = Callable[[Session], Any]


@dataclass(frozen=True)
class Screen:
    """A screen: the name of its picture, its address (``{0}`` = what ``find`` finds), its answer."""

    name: str
    path: str
    find: Find | None = None
    status: int = 200

    def address(self, session: Session) -> str:
        """Where it stands. Fails when the demonstration has nothing to show on it."""
        if self.find is None:
            return self.path
        found = self.find(session)
        assert found is not None, f"the demonstration has no row for {self.name}"
        return self.path.format(*found) if isinstance(found, tuple) else self.path.format(found)


def request(shown: str, authority: str = "emtu") -> Find:
    """The id of a request that shows this state."""
    return lambda session: session.scalar(
        select(Request.id).where(Request.shown == shown, Request.authority == authority).order_by(Request.id).limit(1)
    )


def paper(authority: str = "emtu") -> Find:
    """The ids of a request and of a file that came with it."""
    query = (
        select(RequestDocument.request_id, RequestDocument.id)
        .join(Request, Request.id == RequestDocument.request_id)
        .where(Request.authority == authority, Request.shown == "em_analise", RequestDocument.file_id.is_not(None))
        .order_by(RequestDocument.id)
        .limit(1)
    )
    return lambda session: tuple(session.execute(query).first() or ()) or None


def inspection(state: str, authority: str = "emtu") -> Find:
    """The id of an inspection of a request in this state."""
    query = select(Inspection.id).where(Inspection.state == state, Inspection.authority == authority)
    return lambda session: session.scalar(query.where(Inspection.request_id.is_not(None)).order_by(Inspection.id))


def person(kind: PersonKind, authority: str = "emtu") -> Find:
    """The id of the first person of this kind."""
    query = select(Person.id).where(Person.kind == kind, Person.authority == authority).order_by(Person.id).limit(1)
    return lambda session: session.scalar(query)


def first(table: Any, authority: str = "emtu") -> Find:
    """The id of the first row of a table."""
    return lambda session: session.scalar(
        select(table.id).where(table.authority == authority).order_by(table.id).limit(1)
    )


def plate(authority: str) -> Find:
    """The plate of the first vehicle on a live permit."""
    query = (
        select(Vehicle.plate)
        .join(PermitVehicle, PermitVehicle.vehicle_id == Vehicle.id)
        .join(Permit, Permit.id == PermitVehicle.permit_id)
        .where(Vehicle.authority == authority, Permit.ended_on.is_(None), PermitVehicle.until.is_(None))
        .order_by(Vehicle.id)
        .limit(1)
    )
    return lambda session: session.scalar(query)


def two_vehicles(session: Session) -> Any:
    """The ids of two vehicles of the authority."""
    ids = select(Vehicle.id).where(Vehicle.authority == "emtu").order_by(Vehicle.id).limit(2)
    return tuple(session.scalars(ids))


def under_permit(session: Session) -> Any:
    """The id of a vehicle under a permit of the authority."""
    ours = select(PermitVehicle.id).join(Permit, Permit.id == PermitVehicle.permit_id).where(Permit.authority == "emtu")
    return session.scalar(ours.order_by(PermitVehicle.id).limit(1))


def held(session: Session) -> tuple[int, ...]:
    """A permit of the authority in effect and a vehicle under it."""
    found = session.execute(
        select(Permit.id, PermitVehicle.vehicle_id)
        .join(PermitVehicle, PermitVehicle.permit_id == Permit.id)
        .where(Permit.authority == "emtu", Permit.ended_on.is_(None), PermitVehicle.until.is_(None))
        .order_by(Permit.id)
    ).first()
    return tuple(found or (0, 0))


SCREENS: dict[str, tuple[Screen, ...]] = {
    "": (
        Screen("consulta", "/consulta"),
        Screen("consulta-placa-com-erro", "/consulta?placa=PGT4HB7", status=422),
        Screen("consulta-nao-consta", "/consulta?placa=ZZZ9Z99"),
        Screen("consulta-taxi", "/consulta?placa={0}", plate("recife")),
        Screen("consulta-fretamento", "/consulta?placa={0}", plate("emtu")),
        Screen("leituras", "/leituras"),
        Screen("tarifas", "/tarifas"),
        Screen("rendicao", "/rendicao"),
        Screen("nada-aqui", "/nada-aqui", status=404),
        Screen("entrar", "/entrar"),
    ),
    "atendente.emtu": (
        Screen("inicio-atendente", "/inicio"),
        Screen("requerimento-novo", "/requerimentos/novo"),
        Screen("requerimento-rascunho", "/requerimentos/{0}", request("rascunho")),
        Screen("requerimento-documentos", "/requerimentos/{0}/documentos", request("rascunho")),
        Screen("pessoa-nova", "/pessoas/nova?document=529.982.247-25"),
        Screen("veiculo-novo", "/veiculos/novo"),
        Screen("vistoria-marcar", "/vistorias/marcar/{0}", request("aguarda_vistoria")),
        Screen("proibido", "/administracao/usuarios", status=403),
    ),
    "analista.emtu": (
        Screen("inicio", "/inicio"),
        Screen("requerimentos", "/requerimentos"),
        Screen("requerimento", "/requerimentos/{0}", request("em_analise")),
        Screen("requerimento-pronto", "/requerimentos/{0}", request("pronto")),
        Screen("requerimento-indeferido", "/requerimentos/{0}", request("indeferido")),
        Screen("documento", "/requerimentos/{0}/papeis/{1}", paper()),
        Screen("exigencia", "/requerimentos/{0}/exigencia", request("em_analise")),
        Screen("busca", "/busca?q=silva"),
        Screen("busca-vazia", "/busca?q=zzzzzz"),
        Screen("duplicados", "/cadastros/duplicados"),
        Screen("juntar", "/cadastros/veiculos/{0}/juntar/{1}", two_vehicles),
        Screen("trocar-placa", "/veiculos/{0}/trocar-placa", first(Vehicle)),
        Screen("retificar", "/retificar/inclusoes/{0}", under_permit),
        Screen("outorga-analista", "/outorgas/{0}", first(Permit)),
    ),
    "auditor.emtu": (
        Screen("pessoas", "/pessoas"),
        Screen("pessoa", "/pessoas/{0}", person("natural")),
        Screen("empresa", "/pessoas/{0}", person("company")),
        Screen("cooperativa", "/pessoas/{0}", person("cooperative")),
        Screen("veiculos", "/veiculos"),
        Screen("veiculo", "/veiculos/{0}", first(Vehicle)),
        Screen("outorgas", "/outorgas"),
        Screen("outorga", "/outorgas/{0}", first(Permit)),
        Screen("modulos", "/administracao/modulos"),
    ),
    "vistoriador.emtu": (
        Screen("inicio-vistoriador", "/inicio"),
        Screen("vistorias", "/vistorias"),
        Screen("vistoria-remarcar", "/vistorias/{0}/remarcar", inspection("marcada")),
        Screen("vistoria", "/vistorias/{0}", inspection("marcada")),
        Screen("vistoria-aprovada", "/vistorias/{0}", inspection("aprovada")),
    ),
    "tesouraria.emtu": (
        Screen("inicio-tesouraria", "/inicio"),
        Screen("tesouraria", "/tesouraria"),
        Screen("tesouraria-requerimento", "/tesouraria/requerimento/{0}", request("aguarda_pagamento")),
        Screen("recibo", "/tesouraria/recibos/{0}", first(Receipt)),
        Screen("cobrancas", "/tesouraria/cobrancas?ordem=-vencimento"),
        Screen("caixa", "/tesouraria/caixa"),
        Screen("debito-antigo", "/tesouraria/debitos/novo"),
    ),
    "diretor.emtu": (
        Screen("inicio-diretor", "/inicio"),
        Screen("outorgas-em-ordem", "/outorgas?situacao=em_vigor&ordem=-titular"),
        Screen("baixa", "/outorgas/{0}/veiculos/{1}/baixa", held),
        Screen("decisoes", "/decisoes"),
        Screen("dados-pessoais", "/pessoas/{0}/dados", person("natural")),
        Screen("decisao", "/requerimentos/{0}/decisao", request("pronto")),
        Screen("decisao-confira", "/requerimentos/{0}/decisao/confira?resultado=deferido", request("pronto")),
        Screen("decisao-impedida", "/requerimentos/{0}/decisao", request("em_exigencia")),
        Screen("decisao-feita", "/requerimentos/{0}/decisao", request("indeferido")),
        Screen("indices", "/indices"),
        Screen("indice", "/indices/valor/custo_km"),
        Screen("indice-confira", "/indices/valor/custo_km/confira?value=5,9&since=01/07/2026&act=Portaria+112/2026"),
        Screen("dias", "/indices/dias"),
        Screen("atos", "/indices/atos"),
        Screen("ato", "/indices/atos/{0}", first(Act)),
        Screen("ato-novo", "/indices/atos/novo?ato=Portaria+200/2026"),
        Screen("ato-corrigir", "/indices/atos/{0}/corrigir", first(Act)),
        Screen("ato-encerrar", "/indices/atos/{0}/encerrar", first(Act)),
    ),
    "administrador.emtu": (
        Screen("usuarios", "/administracao/usuarios"),
        Screen("usuario", "/administracao/usuarios/1"),
        Screen("usuario-novo", "/administracao/usuarios/novo"),
        Screen("implantacao", "/administracao/implantacao"),
        Screen("implantacao-orgao", "/administracao/implantacao/orgao"),
        Screen("implantacao-dias", "/administracao/implantacao/dias"),
    ),
    "diretor.recife": (Screen("bandeiras-por-ato", "/indices/bandeiras"),),
    "analista.recife": (
        Screen("taxi-inicio", "/inicio"),
        Screen("taxi-requerimento", "/requerimentos/{0}", request("em_analise", "recife")),
        Screen("taxi-outorga", "/outorgas/{0}", first(Permit, "recife")),
        Screen("pontos", "/pontos"),
        Screen("ponto", "/pontos/1"),
    ),
}
"""The screens by the user who opens them; "" is the public."""
