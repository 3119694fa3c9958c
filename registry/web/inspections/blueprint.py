"""The blueprint of the inspections' screens, which two modules fill."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("inspections", __name__, url_prefix="/vistorias")
ONE = "/<int(max=2147483647):inspection_id>"
