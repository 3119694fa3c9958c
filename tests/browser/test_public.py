"""The public look-up, as a passenger with a phone sees it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from registry.store.vehicles import Vehicle

pytestmark = pytest.mark.browser


def test_log_in(site: Any, visit: Any) -> None:
    window = visit(site).log_in("analista.emtu")
    print(window.heading, window.seen)


@pytest.mark.parametrize("scripts", [True, False])
def test_some(site: Any, visit: Any, scripts: bool) -> None:
    with site.store.reading() as session:
        plates = session.scalars(select(Vehicle.plate)).all()
    window = visit(site, scripts=scripts, width=390, height=844)
    for plate in plates[:4]:
        window.go(f"/consulta?placa={plate}")
        print(window.heading)
