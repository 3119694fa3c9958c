"""The blueprint of the treasury's screens, which two modules fill."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("treasury", __name__, url_prefix="/tesouraria")
