"""Screens for plugins: a plugin's ``views.py`` and ``forms.py`` import them from here.

Every view carries ``@access``; it answers with :func:`render` (a page, or its fragment for HTMX) or :func:`go`, reads
through :func:`session` and changes through :func:`perform`. Another plugin's hook is asked by ``desk().host``.
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
from registry.web.paging import address_of_page, page_number
from registry.web.shell import MenuEntry
from registry.web.why import Why, explain

__all__ = [
    "Answered",
    "ChoiceField",
    "DateField",
    "DocumentField",
    "HourField",
    "Length",
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
    "now",
    "occasion",
    "once_key",
    "page_number",
    "perform",
    "render",
    "session",
    "staff",
    "today",
    "wants_fragment",
]
