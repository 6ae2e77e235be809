"""The words of reports are explained where people meet them."""

from __future__ import annotations

from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.render.sections.glossary import glossary
from tests.render import samples


def test_pages_and_full_texts_explain_every_word_and_short_texts_none() -> None:
    write = english()
    page, full, short = (
        " ".join(renderer(name)(samples.ARTICLE, View(detail=detail, width=2000)).split())
        for name, detail in (("html", "normal"), ("text", "full"), ("text", "normal"))
    )
    for word, meaning in glossary():
        for told in (word, meaning):
            assert write(told) in full
        assert write(meaning).replace("`", "") in page.replace("`", "").replace("&#39;", "'")
        assert write(meaning) not in short
