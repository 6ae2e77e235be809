"""Pages of a fleet in a folder: one of all services, which leads to one for each."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from mqdiag.cli.common.language import language_of_run
from mqdiag.cli.common.options import CommonOptions
from mqdiag.cli.common.session import view
from mqdiag.config import Settings
from mqdiag.errors import OutputError, UsageError, first_line
from mqdiag.files import write_whole
from mqdiag.findings import Report
from mqdiag.render import renderer
from mqdiag.render.sections.fleet_lists import FLEET_PAGE, SERVICE_PAGES, service_page
from mqdiag.text import say


class FleetPages:
    """Writes `index.html` and `services/*.html`; pages of services that a new run does not have stay.

    Args:
        folder: where to; made where it is not there.
        options: what the reports hide, and their language.
        settings: of the run.

    Raises:
        UsageError: the folder cannot be made or written to.
    """

    def __init__(self, folder: str, options: CommonOptions, settings: Settings) -> None:
        self._folder = Path(folder)
        try:
            (self._folder / SERVICE_PAGES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                say("--pages {folder}: {reason}", folder=folder, reason=first_line(error))
            ) from error
        if not os.access(self._folder / SERVICE_PAGES, os.W_OK):
            raise UsageError(say("--pages {folder}: no permission to write there", folder=folder))
        self._redact = options.redact
        language = language_of_run(options.lang, {"html"})
        self._view = msgspec.structs.replace(
            view(options, language, fail_on=settings.fail_on), colour=False, with_services=True
        )

    def write_service(self, report: Report) -> None:
        """Write the page of a service."""
        assert report.fleet is not None
        (state,) = report.fleet.services
        self._write(f"{SERVICE_PAGES}/{service_page(state.environment, state.service)}", report)

    def write_fleet(self, report: Report) -> None:
        """Write the page of all services."""
        self._write(FLEET_PAGE, report)

    def _write(self, name: str, report: Report) -> None:
        if self._redact:
            from mqdiag.redact.report import redact_report

            report = redact_report(report)
        page = renderer("html")(report, self._view)
        try:
            write_whole(self._folder / name, page.encode())
        except OSError as error:
            raise OutputError(
                say(
                    "{path} could not be written: {reason}",
                    path=str(self._folder / name),
                    reason=first_line(error),
                )
            ) from error
