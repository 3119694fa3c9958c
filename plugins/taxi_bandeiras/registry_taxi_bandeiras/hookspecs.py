"""The hook that this mechanism demands of the city's plugin."""

from __future__ import annotations

from datetime import date

from registry.api.plugin import hookspec
from registry_taxi_bandeiras.api import BandTable


@hookspec
def taxi_bandeiras_table(regime: str, on: date) -> BandTable | None:
    """The table of fare bands of a regime as it stands on a day; None when the regime is not the plugin's. Since 1.

    Exactly one plugin answers for a regime (see :func:`registry_taxi_bandeiras.api.the_table`).
    """
    raise NotImplementedError
