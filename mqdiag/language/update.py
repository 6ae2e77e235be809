"""Keeps the catalogues: new texts in, old ones out, compiled. Needs Babel; `make translations` calls it."""

from __future__ import annotations

import io
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from mqdiag.language import DOMAIN, ENGLISH, FOLDER, LANGUAGES, TAGS

SOURCE = Path(__file__).parents[1]
METHODS = [("**.py", "mqdiag.language.extract:extract"), ("**.j2", "jinja2")]
JINJA = {"**.j2": {"trim_blocks": "true", "lstrip_blocks": "true"}}
FUNCTIONS = {"say": None, "gettext": None}


def template() -> Catalog:
    """All texts of the source, with the files that they stand in."""
    found = Catalog(project="mqdiag", charset="utf-8", fuzzy=False)
    for name, _, text, comments, context in extract_from_dir(
        str(SOURCE), METHODS, JINJA, keywords=FUNCTIONS, comment_tags=()
    ):
        # No line numbers: the catalogue would change with every line of the source.
        found.add(text, locations=[(f"{SOURCE.name}/{name}", -1)], auto_comments=comments, context=context)
    return found


def catalogue_path(language: str) -> Path:
    """The file that translators edit; the compiled one lies beside it."""
    return FOLDER / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read(language: str) -> Catalog:
    """A language's catalogue; an empty one when there is none yet."""
    path = catalogue_path(language)
    if not path.exists():
        return Catalog(locale=language, project="mqdiag", charset="utf-8", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    file = io.BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def update(language: str) -> int:
    """Bring a language's catalogue up to date and compile it; how many texts wait for a translation."""
    catalogue = read(language)
    created = catalogue.creation_date
    catalogue.update(template(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    catalogue.creation_date = created  # or every update would be a change
    catalogue.header_comment = (
        f"# Reports of mqdiag in {TAGS[language]}. `make translations` keeps this file; edit msgstr only."
    )
    path = catalogue_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=0, omit_header=False, include_lineno=False, sort_by_file=True)
    path.with_suffix(".mo").write_bytes(compiled(catalogue))
    return sum(not is_translated(message.string) for message in catalogue if message.id)


def is_translated(said: str | tuple[str, ...] | list[str] | None) -> bool:
    """Whether there is a translation, in all its forms."""
    return bool(said) and all(said or ())


if __name__ == "__main__":
    for one in LANGUAGES:
        if one != ENGLISH:
            print(f"{catalogue_path(one)}: {update(one)} texts wait for a translation")  # noqa: T201
