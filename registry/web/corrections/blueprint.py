"""The blueprint of the screens that put records right, which several modules fill."""

from __future__ import annotations

from flask import Blueprint

blueprint = Blueprint("corrections", __name__)
