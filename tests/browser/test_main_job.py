"""The main job of each regime in the browser: from the person to the public answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.jobs import CHARTER, COMPANY, TAXI, Job, Office

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("job", [CHARTER, TAXI], ids=lambda job: job.regime)
@pytest.mark.parametrize("scripts", [True, False])
def test_from_the_person_to_the_public_answer(new_site: Any, visit: Any, job: Job, scripts: bool) -> None:
    office = Office(job, lambda user: visit(new_site, scripts=scripts).log_in(user))
    try:
        office.enter_person()
        office.enter_vehicle()
        office.open_request()
        office.fill(job.facts)
    finally:
        for role, window in office.windows.items():
            window.page.screenshot(path=f"/tmp/bt_{job.regime}_{scripts}_{role}.png", full_page=True)
            print(window.verdict())
