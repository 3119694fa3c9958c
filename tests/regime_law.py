"""The invented law of the invented regime: six articles, small round numbers, one closed day."""

from __future__ import annotations

from datetime import date

from registry.domain.lawbook import Lawbook, build_lawbook

NAME = "ensaio"
FIRST = date(2000, 1, 1)


def lawbook() -> Lawbook:
    """The invented law, with a calendar that closes 8 December and has an index ``custo`` of R$ 5,00."""
    provisions = [
        {"id": f"art-{number}", "label": label, "cite": f"Art. {number}º", "kind": "rule", "question": asked}
        for number, (label, asked) in enumerate(
            [
                ("Lotação", "seats"),
                ("Documentos", "papers"),
                ("Débitos", "debts"),
                ("Taxas", "fee"),
                ("Vistoria", "checked"),
                ("Situação", "status"),
            ],
            1,
        )
    ]
    return build_lawbook(
        NAME,
        "1.0",
        {
            "provisions.toml": {"provision": provisions},
            "parameters.toml": {
                "parameter": {
                    "seats.min": {
                        "unit": "lugares",
                        "provision": "art-1",
                        "values": [{"from": FIRST, "value": 12}],
                    },
                    "custo": {
                        "unit": "reais",
                        "provision": "art-4",
                        "label": "Custo",
                        "values": [{"from": FIRST, "value": "5.00"}],
                    },
                }
            },
            "indexes.toml": {
                "index": {"custo": {"label": "Custo", "unit": "reais", "provision": "art-4"}},
            },
            "sentences.toml": {
                "sentence": {
                    "seats": "A barca tem {seats} lugares; o mínimo é {least}.",
                    "papers": "Falta aceitar: {missing:list}.",
                    "papers_sent": "Confira o documento enviado: {sent:list}.",
                    "debts": "Há {count} débito vencido.",
                    "fee": "São {quantity} vezes o custo.",
                    "checked": "{count} itens falharam.",
                    "status_ok": "Tudo em ordem.",
                    "status_ended": "A permissão terminou.",
                    "status_suspended": "O serviço está suspenso.",
                    "status_late": "O passe venceu.",
                }
            },
            "calendar.toml": {"day": [{"rule": "12-08", "name": "Padroeira"}]},
        },
    )
