#!/usr/bin/env python3
"""book.py: makes the book in HTML, in target/book, and looks for dead links in it. `make docs` calls it.

mdBook renders only pages of the folder that it is given. So the book, the other pages of docs/ and those of the root are put
into target/book-source, as one folder; links to other files of the repository become text there.
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SOURCE, OUT = TARGET / "book-source", TARGET / "book"
BOOK = ROOT / "docs/book"
# Pages beside the book, by the heading of the summary under which they stand.
BESIDE = {
    "Figures": ["docs/performance.md", "docs/evaluation.md"],
    "For those who know other tools": ["docs/klee.md", "docs/klee-tests.md", "docs/competitions.md", "docs/ci.md", "examples/README.md"],
    "Inside": ["ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/protocol.md", "docs/concolic.md",
               "docs/feasibility.md", "docs/cluster.md", "docs/summary.md", "docs/decisions/README.md"],
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def placed():
    """Where each page of the repository stands in the source of the book."""
    places = {page: page.relative_to(BOOK / "src") for page in (BOOK / "src").rglob("*.md")}
    for page in [ROOT / name for names in BESIDE.values() for name in names] + sorted((ROOT / "docs/decisions").glob("*.md")):
        name = page.relative_to(ROOT)
        places[page] = Path("more") / (name.parent.name if name.parent.name != "docs" else ".") / name.name
    for image in (ROOT / "docs/images").iterdir():
        places[image] = Path("images") / image.name
    # A link to README.md would lead nowhere: mdBook makes it index.html.
    return {page: place.with_name("index.md") if place.name == "README.md" else place for page, place in places.items()}


def rewritten(text, page, places):
    def link(match):
        mark, shown, target = match.groups()
        file, _, anchor = target.partition("#")
        if "://" in target or not file:
            return match.group(0)
        to = places.get((page.parent / file).resolve())
        if to is None:
            return shown
        there = os.path.relpath(SOURCE / to, (SOURCE / places[page]).parent)
        return f"{mark}[{shown}]({there}{'#' + anchor if anchor else ''})"

    return LINK.sub(link, text)


def summary(places):
    own = BOOK / "src/SUMMARY.md"
    lines = [rewritten(own.read_text().rstrip(), own, places)]
    title = lambda page: re.match(r"# (.*)", page.read_text()).group(1)
    for heading, names in BESIDE.items():
        lines += ["", f"# {heading}", ""] + [f"- [{title(ROOT / name)}]({places[ROOT / name]})" for name in names]
    decisions = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    return "\n".join(lines + [f"  - [{title(page)}]({places[page]})" for page in decisions]) + "\n"


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]


def dead():
    pages = {}
    for page in OUT.rglob("*.html"):
        pages[page] = Links()
        pages[page].feed(page.read_text())
    seen = 0
    for page, found in sorted(pages.items()):
        if page.name in ("print.html", "404.html", "toc.html"):
            continue
        for link in found.links:
            file, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            seen += 1
            target = (page.parent / file).resolve() if file else page
            if not target.exists() or anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{page.relative_to(OUT)}: {link}"
    if seen < 1000:
        yield f"only {seen} links in {len(pages)} pages"
    print(f"book: {len(pages)} pages, {seen} links within the book", file=sys.stderr)


def main():
    shutil.rmtree(SOURCE, ignore_errors=True)
    places = placed()
    for file, place in places.items():
        to = SOURCE / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            to.write_text(rewritten(file.read_text(), file, places))
        else:
            shutil.copy(file, to)
    (SOURCE / "SUMMARY.md").write_text(summary(places))
    settings = (BOOK / "book.toml").read_text().replace('src = "src"', 'src = "."')
    (SOURCE / "book.toml").write_text(settings)
    shutil.rmtree(OUT, ignore_errors=True)
    mdbook = sys.argv[1] if len(sys.argv) > 1 else "mdbook"
    if subprocess.run([mdbook, "build", "--dest-dir", OUT, SOURCE]).returncode:
        sys.exit("book: mdbook failed")
    found = list(dead())
    if found:
        sys.exit("book: dead links:\n" + "\n".join(found))
    print(f"book: {OUT / 'index.html'}")


if __name__ == "__main__":
    main()
