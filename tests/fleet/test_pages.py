"""The page of a fleet of ten thousand services in a real Chromium: quick to open, searched, sorted, by keyboard too."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mqdiag.config import Settings
from mqdiag.facts.fleet import (
    CommonTrait,
    FleetFacts,
    FleetTotals,
    GroupCapacity,
    Outlier,
    RunTotals,
    ServiceState,
    SettingDrift,
    ValueShare,
)
from mqdiag.fleet.verdict import fleet_verdict
from mqdiag.render import View, renderer
from mqdiag.render.sections.fleet_lists import service_page
from mqdiag.text import say
from tests.layers import CHECK, NIGHTLY
from tests.render.html.axe import violations
from tests.render.html.reports import EVIL
from tests.render.html.test_browser import DESK, MOST_ELEMENTS, PHONE, Opened, browser

__all__ = ["browser"]  # a fixture

SERVICES = 10_000
MOST_BYTES = 3 << 20


def services() -> tuple[ServiceState, ...]:
    """The worst first, as a report has them."""
    return tuple(
        ServiceState(
            environment="prod",
            service=f"service-{place:05d}",
            hosts=3,
            incidents=6,
            failed=0,
            errors=max(0, 40 - place),
            warnings=place % 7,
            new=place % 3,
            known=2,
            gone=0,
        )
        for place in range(SERVICES)
    )


def runs(count: int) -> tuple[RunTotals, ...]:
    """Of some nights; the first has nothing to be compared with."""
    return tuple(
        RunTotals(
            run=f"r{place}",
            finished_at=f"2026-11-{place:02d}T03:00:00+00:00",
            incidents=60_000 + place,
            failed=0,
            failures=place % 2,
            services=SERVICES,
            hosts=30_000,
            errors=900 - 20 * place,
            warnings=500,
            new=None if place == 1 else 3,
            gone=None if place == 1 else 23,
        )
        for place in range(1, count + 1)
    )


def facts() -> FleetFacts:
    """Every list of a report, as long as it gets."""
    return FleetFacts(
        run="r20",
        against="r19",
        out="/mnt/fleet",
        totals=FleetTotals(
            incidents=60_000, services=SERVICES, hosts=30_000, errors=820, warnings=500, drifts=200
        ),
        services=services(),
        trend=runs(20),
        common=tuple(
            CommonTrait(
                rule="stuck-socket-read",
                cause="missing-http-timeout",
                kind="frame",
                value=f"com.acme.Client{place}.get",
                severity="error",
                services=2,
                hosts=4,
                incidents=4,
                findings=4,
                fault_hosts=9,
                example_services=("prod/service-00001", "prod/service-00002"),
                example_hosts=("prod/service-00001/h1", "prod/service-00002/h7"),
                example_title=say("20 threads wait for an answer"),
                example_remedy=(say("Give the client a socket timeout."),),
            )
            for place in range(200)
        ),
        drifts=tuple(
            SettingDrift(
                kind="setting",
                group=f"g{place}",
                environment="prod",
                key="pullBatchSize",
                instances=3,
                values=(
                    ValueShare(value="32", instances=2, hosts=("service-00001/h1", "service-00001/h2")),
                    ValueShare(value="64", instances=1, hosts=("service-00001/h3",)),
                ),
            )
            for place in range(200)
        ),
        outliers=(
            Outlier(
                group="g1",
                service="service-00001",
                host="h1",
                metric="lag",
                value=9000.0,
                median=10.0,
                deviation=3.0,
                score=9.0,
                instances=6,
            ),
        ),
        capacity=(GroupCapacity(group="g1", instances=3, bound_share_most=0.7),),
    )


@cache
def page() -> str:
    report = fleet_verdict(facts(), (), (), Settings()).report
    return renderer("html")(report, View(with_services=True))


def names(opened: Opened) -> list[str]:
    texts: list[str] = opened.page.locator(
        "#table-services tbody tr:not(.space) td:first-child"
    ).all_inner_texts()
    return texts


@CHECK
def test_what_is_wrong_where_comes_first() -> None:
    assert re.findall(r'<h2 id="([a-z]+)-title"', page()) == [
        "fleet",
        "services",
        "common",
        "changes",
        "drifts",
        "outliers",
        "capacity",
        "trend",
        "findings",
        "words",
    ]


@CHECK
@pytest.mark.parametrize("context", [DESK, PHONE], ids=["desk", "phone"])
def test_ten_thousand_services_are_few_elements_and_fit(browser: Any, tmp_path: Path, context: Any) -> None:
    assert len(page().encode()) < MOST_BYTES
    opened = Opened(browser, tmp_path / "index.html", page(), **context)
    opened.check()
    assert opened.page.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= context["viewport"]["width"]


@CHECK
def test_every_service_is_found_sorted_and_leads_to_its_page(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "index.html", page())
    table = opened.page.locator("#table-services")
    assert names(opened)[0] == "prod/service-00000"
    table.locator("input").fill("service-09987")
    assert names(opened) == ["prod/service-09987"]
    assert table.locator("[role=status]").inner_text() == "1 of 10000"
    link = table.locator("tbody a").get_attribute("href")
    assert link == f"services/{service_page('prod', 'service-09987')}"
    table.locator("input").fill("")
    table.get_by_role("button", name="service").click()
    table.get_by_role("button", name="service").click()
    assert names(opened)[0] == "prod/service-09999"
    table.get_by_role("button", name="errors").click()
    assert names(opened)[0] == "prod/service-00000"
    opened.check()


@CHECK
def test_the_keyboard_reaches_every_row(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "index.html", page())
    opened.page.locator("#table-services .scroll").focus()
    opened.page.keyboard.press("End")
    row = opened.page.locator("#table-services tbody tr", has_text="service-09999")
    assert row.get_attribute("aria-rowindex") == str(SERVICES + 1)
    opened.page.keyboard.press("Home")
    opened.page.locator("#table-services tbody a", has_text="service-00000").focus()
    for _ in range(60):  # further than what was in sight
        opened.page.keyboard.press("Tab")
        opened.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert opened.page.evaluate("document.activeElement.textContent") == "prod/service-00060"
    opened.check()


@CHECK
@pytest.mark.parametrize(
    "context",
    [
        pytest.param(DESK, id="light desk", marks=NIGHTLY),
        pytest.param(PHONE, id="dark phone"),
    ],
)
def test_everybody_can_read_it(browser: Any, tmp_path: Path, context: Any) -> None:
    opened = Opened(browser, tmp_path / "index.html", page(), bypass_csp=True, **context)
    assert violations(opened.page) == []


@CHECK
def test_without_its_script_the_worst_services_are_there(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "index.html", page(), java_script_enabled=False)
    assert names(opened)[:2] == ["prod/service-00000", "prod/service-00001"]
    assert "The first 100 of 10,000 rows" in opened.page.locator("#services noscript").inner_text()


@CHECK
def test_hostile_names_are_text(browser: Any, tmp_path: Path) -> None:
    """In the data of the long table too, and in the names of files."""
    first, *others = services()
    evil = msgspec.structs.replace(first, service=EVIL + "</script>", environment="../..")
    report = fleet_verdict(
        msgspec.structs.replace(facts(), services=(evil, *others)), (), (), Settings()
    ).report
    made = renderer("html")(report, View(with_services=True))
    opened = Opened(browser, tmp_path / "index.html", made)
    opened.check()
    assert opened.page.locator("#services img").count() == 0
    link = opened.page.locator("#table-services tbody a").first.get_attribute("href")
    assert re.fullmatch(r"services/[a-z0-9-]+\.html", link)
