"""The forms of the treasury."""

from __future__ import annotations

from wtforms.validators import Length

from registry.domain.regime import Choice
from registry.services.charges import METHODS
from registry.web.fields import ChoiceField, DateField, MoneyField, RegistryForm, StringField, Wanted

REASON = "Escreva o motivo. Ele vai para o processo."
_SHORT = Length(max=400, message="Use no máximo 400 letras.")
_METHODS = tuple(Choice(code, label) for code, label in METHODS.items())


class PaymentForm(RegistryForm):
    """A payment: its day, how it came, and what was received where it differs from what is owed."""

    on_day = DateField("Dia do pagamento", wanted="Digite o dia do pagamento.")
    method = ChoiceField("Forma de pagamento", _METHODS, wanted="Escolha a forma de pagamento.")
    amount = MoneyField("Valor recebido", description="Só se for diferente do total. A menos fica em aberto.")


class ReversalForm(RegistryForm):
    """Why a payment is reversed."""

    reason = StringField("Motivo do estorno", [Wanted(REASON), _SHORT])


class CloseForm(RegistryForm):
    """What was counted in the till, and why it differs."""

    day = DateField("Dia", wanted="Digite o dia.")
    counted = MoneyField("Valor contado", wanted="Escreva o valor como 1.234,56.")
    note = StringField("Observação", [_SHORT], description="Obrigatória quando o contado difere do esperado.")
