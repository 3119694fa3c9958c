"""What the applicant owes in documents and what the inspector looks at, from the lists of the law data."""

from __future__ import annotations

from datetime import date

from registry.api.law import ChecklistItem, Dossier, Law, Missing, WantedDocument
from registry_taxi_recife import givens
from registry_taxi_recife.rules.alvara import AlvaraGiven, alvara
from registry_taxi_recife.rules.documents import document_list, why_not_owed
from registry_taxi_recife.rules.inspection import InspectionValidityGiven, checklist, inspection_validity
from registry_taxi_recife.rules.paint import paint


def wanted_documents(dossier: Dossier, law: Law) -> tuple[WantedDocument, ...]:
    """The documents of arts. 16 or 17 for this applicant; what is not yet known of a person counts as owed."""
    person = givens.documents_person(dossier)
    brazilian, military = (True, True) if isinstance(person, Missing) else (person.brazilian, person.military)
    rows = document_list(law, givens.document_list_name(dossier), brazilian, dossier.on)
    wanted = []
    for row in rows:
        waived = why_not_owed(row, brazilian, military, law)
        wanted.append(
            WantedDocument(
                code=row["code"],
                label=row["label"],
                provision=row["provision"],
                cite=law.cite(row["provision"]),
                group=law.cite(row["provision"]).split(",")[0],
                copies=row["copies"],
                expires=row.get("expires", False),
                restricted=row.get("restricted", False),
                waived=law.say(waived) if waived else "",
            )
        )
    return tuple(wanted)


def inspection_items(dossier: Dossier, law: Law) -> tuple[ChecklistItem, ...]:
    """The checklist on the dossier's day; marks of a company are looked for on a company's car alone."""
    company = dossier.holder is not None and dossier.holder.kind != "natural"
    return tuple(
        ChecklistItem(
            code=row["code"],
            label=f"{row['label']}{_colour(dossier, law) if row['code'] == 'colour' else ''}",
            provision=row["provision"],
            cite=law.cite(row["provision"]),
            may_not_apply=not row.get("required", False),
        )
        for row in checklist(law, dossier.on)
        if company or not row.get("company", False)
    )


def seal_until(dossier: Dossier, law: Law) -> date | None:
    """The last day of the seal of the inspection being judged; None without one."""
    if dossier.inspection is None:
        return None
    return inspection_validity(InspectionValidityGiven(dossier.inspection.on), law).answer.valid_until


def alvara_valid_until(issued: date, law: Law) -> date:
    """The last day of an alvará issued on a day."""
    return alvara(AlvaraGiven(issued), law).answer.valid_until


def _colour(dossier: Dossier, law: Law) -> str:
    given = givens.paint(dossier)
    if isinstance(given, Missing):
        return ""
    colour = paint(given, law).answer.colour
    return f": {colour}" if colour else ""
