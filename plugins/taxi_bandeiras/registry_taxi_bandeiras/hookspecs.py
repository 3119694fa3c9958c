"""The hook that this mechanism demands of the city's plugin."""

from __future__ import annotations

from datetime import date

from registry.api.law import Law
from registry.api.plugin import hookspec
from registry_taxi_bandeiras.api import BandTable


@hookspec
def taxi_bandeiras_table(regime: str, on: date, law: Law) -> BandTable | None:
    """The table of fare bands of a regime as it stands on a day; None when the regime is not the plugin's. Since 1.

    ``law`` is the law of the regime with the index values and days of its authority. One plugin answers for a regime.
    """
    raise NotImplementedError
