"""Keeps the catalogues: takes in new texts, drops old ones. Needs Babel.

`make translations` brings the catalogues up to date; `make translations-check` fails where a translation is missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from mqdiag.language import DOMAIN, ENGLISH, FOLDER, LANGUAGES, TAGS

SOURCE = Path(__file__).parents[1]
METHODS = [
    ("**.py", "mqdiag.language.extract:extract"),
    ("knowledge/**.toml", "mqdiag.language.extract:extract_toml"),
    ("**.j2", "jinja2"),
]
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


def update(language: str) -> int:
    """Bring a language's catalogue up to date; how many texts wait for a translation."""
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
    return len(untranslated(catalogue))


def missing(language: str) -> list[str]:
    """Texts of the source that the catalogue does not have, or has without a translation."""
    catalogue = read(language)
    known = {message.id for message in catalogue if message.id and message.string}
    return sorted(str(message.id) for message in template() if message.id and message.id not in known)


def untranslated(catalogue: Catalog) -> list[str]:
    """Texts of a catalogue without a translation."""
    return [str(message.id) for message in catalogue if message.id and not message.string]


def main(arguments: list[str]) -> int:
    """With `--check` only tell what is missing, else bring all catalogues up to date."""
    failed = 0
    for language in LANGUAGES:
        if language == ENGLISH:
            continue
        if "--check" in arguments:
            lacking = missing(language)
            failed += len(lacking)
            print("\n".join(f"{language} lacks: {text}" for text in lacking))  # noqa: T201
        else:
            waiting = update(language)
            print(f"{catalogue_path(language)}: {waiting} texts wait for a translation")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
