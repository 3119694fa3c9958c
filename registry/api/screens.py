"""Screens for plugins: a plugin's ``views.py`` and ``forms.py`` import them from here.

Every view carries ``@access``; it answers with :func:`render` (a page, or its fragment for HTMX) or :func:`go`, reads
through :func:`session` and changes through :func:`perform`. A list takes :func:`order_of`, :func:`list_view` and the
macros of ``components/list.html``, its table :func:`sheet`. Another plugin's hook is asked by ``desk().host``.
"""

from __future__ import annotations

from wtforms.validators import Length

from registry.web.access import access
from registry.web.edge import authority, desk, is_staff, now, occasion, once_key, perform, session, staff, today
from registry.web.fields import (
    ChoiceField,
    DateField,
    DocumentField,
    HourField,
    MoneyField,
    NumberField,
    PlateField,
    RateField,
    RegistryForm,
    StringField,
    TextAreaField,
    Wanted,
    YearField,
    YesNoField,
)
from registry.web.htmx import go, render, wants_fragment
from registry.web.mechanisms import Answered, answers
from registry.web.paging import PAGE_SIZE, ListView, address_of_page, list_view, order_of, page_number, quoted
from registry.web.shell import MenuEntry
from registry.web.spreadsheet import CHUNK, sheet
from registry.web.why import Why, explain

__all__ = [
    "CHUNK",
    "PAGE_SIZE",
    "Answered",
    "ChoiceField",
    "DateField",
    "DocumentField",
    "HourField",
    "Length",
    "ListView",
    "MenuEntry",
    "MoneyField",
    "NumberField",
    "PlateField",
    "RateField",
    "RegistryForm",
    "StringField",
    "TextAreaField",
    "Wanted",
    "Why",
    "YearField",
    "YesNoField",
    "access",
    "address_of_page",
    "answers",
    "authority",
    "desk",
    "explain",
    "go",
    "is_staff",
    "list_view",
    "now",
    "occasion",
    "once_key",
    "order_of",
    "page_number",
    "perform",
    "quoted",
    "render",
    "session",
    "sheet",
    "staff",
    "today",
    "wants_fragment",
]
