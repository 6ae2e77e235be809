"""Makes the site: all pages, those made from the code too, as HTML that needs no network.

python docs/make/site.py --out build/site [--archive dist/mqdiag-1.0.0-site.tar.gz]

The pages are laid out as in the repository, so that their links hold; MkDocs makes the HTML and fails on a link
that leads nowhere. Its search asks a host on the network for a script; the copy in `docs/site` takes its place.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from made_pages import made_pages

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"
OF_THE_ROOT = ("CHANGELOG.md", "LICENSE", "NOTICE", "SECURITY.md")
SHIM_URL = re.compile(r"https://unpkg\.com/iframe-worker/shim")
"""what the offline plugin of the theme loads"""
LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]*\ssrc="?(https?:[^"\s>]+)|<link[^>]*rel="?stylesheet[^>]*href="?(https?:[^"\s>]+)"""
)
"""what a page would fetch by itself"""

LINK = re.compile(r"\]\(([^)#:\s]+)")
"""a link of a page to a file or folder beside it"""
SEARCHED = {"lunr.multi.min.js", "lunr.stemmer.support.min.js", "lunr.zh.min.js"}
"""what the search loads for English and Chinese; the theme brings thirty languages, some under other licences"""


def lay_out(pages: Path) -> None:
    """Put all pages into a folder, as they stand in the repository."""
    shutil.copytree(ROOT / "docs", pages / "docs", ignore=shutil.ignore_patterns("make", "__pycache__"))
    for name, text in made_pages(ROOT):
        page = pages / "docs" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, "utf-8")
    for name in OF_THE_ROOT:
        shutil.copy(ROOT / name, pages / name)
    (pages / "docs" / "site" / "index.md").rename(pages / "index.md")
    follow_links(pages)


def follow_links(pages: Path) -> None:
    """Bring the pages of fixtures and sources that pages link to, and a list of its files for a folder of pages.

    Evidence stays where it is.
    """
    waiting = list(pages.rglob("*.md"))
    for page in waiting:  # grows on the way
        text = page.read_text("utf-8")
        for target in dict.fromkeys(LINK.findall(text)):
            linked = Path(os.path.normpath(page.parent.relative_to(pages) / target))
            if (pages / linked).is_dir():
                # From a disk a link to a folder opens a listing, and on some hosts nothing.
                text = text.replace(f"]({target})", f"]({target.rstrip('/')}/README.md)")
                if not (pages / linked / "README.md").exists():
                    (pages / linked / "README.md").write_text(list_of(pages / linked), "utf-8")
            elif (ROOT / linked).is_file() and not (pages / linked).exists():
                (pages / linked).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / linked, pages / linked)
                if linked.suffix == ".md":
                    waiting.append(pages / linked)
        page.write_text(text, "utf-8")


def list_of(folder: Path) -> str:
    """A page that leads to all files of a folder, pages by their titles."""
    lines = [f"# {folder.name}", ""]
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        first = path.read_text("utf-8").partition("\n")[0] if path.suffix == ".md" else ""
        lines.append(f"- [{first.removeprefix('# ') or path.name}]({path.name})")
    return "\n".join(lines) + "\n"


def without_network(site: Path) -> None:
    """Have pages load nothing from elsewhere.

    Raises:
        SystemExit: a page loads something that is not known.
    """
    (site / "404.html").unlink()  # its links begin at the root of a host
    for script in (site / "assets" / "javascripts" / "lunr").rglob("*.js"):
        if script.name not in SEARCHED:
            script.unlink()
    shim = site / "docs" / "site" / "iframe-worker.js"
    for page in site.rglob("*.html"):
        text = SHIM_URL.sub(os.path.relpath(shim, page.parent), page.read_text("utf-8"))
        if found := LOADED.search(text):
            sys.exit(
                f"{page.relative_to(site)} would load {found[1] or found[2]}: a site works without a network"
            )
        page.write_text(text, "utf-8")


def make(out: Path) -> None:
    """Write the site into a folder, which is made anew."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        lay_out(work / "pages")
        shutil.copy(SITE / "mkdocs.yml", work / "mkdocs.yml")
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
            cwd=work,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        without_network(work / "site")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(work / "site", out)


def pack(site: Path, archive: Path) -> None:
    """The site as one file, with the same bytes for the same site."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = epoch
        member.mode = 0o755 if member.isdir() else 0o644
        return member

    archive.parent.mkdir(parents=True, exist_ok=True)
    name = archive.name.removesuffix(".tar.gz")
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=epoch) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w") as tar,
    ):
        for path in sorted(site.rglob("*")):
            tar.add(path, f"{name}/{path.relative_to(site)}", recursive=False, filter=plain)


def main() -> None:
    """Make the site, and its archive."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--archive", type=Path)
    options = parser.parse_args()
    make(options.out)
    if options.archive:
        pack(options.out, options.archive)


if __name__ == "__main__":
    main()
