"""The screens: one package a noun, each with ``views.py`` (a ``blueprint``, perhaps a ``MENU``) and ``forms.py``.

``edge`` knows the request's user, clock and database; ``htmx`` decides between page and fragment; ``access`` says who
may open a view; ``shell`` makes the frame around a page; ``errors`` turns refusals into pages.
"""
