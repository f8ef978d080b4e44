"""Check every link inside the built pages, without a network: does the file and the anchor exist?

python docs/check_links.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        for name in ("href", "src"):
            if values.get(name):
                self.links.append(values[name])


def broken_links(folder):
    """Pairs of a page and a link in it that leads nowhere; and how many links there are."""
    paths = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): Page(path) for path in paths}
    broken, n_links = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            n_links += 1
            target = path
            if parts.path:
                target = (path.parent / unquote(parts.path)).resolve()
                target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            missing_anchor = anchor and target in pages and anchor not in pages[target].anchors
            if not target.exists() or missing_anchor:
                broken.append((path.relative_to(folder.resolve()), link))
    return broken, n_links


def main():
    folder = Path(sys.argv[1])
    broken, n_links = broken_links(folder)
    if not n_links:
        sys.exit(f"no pages in {folder}")
    for page, link in broken:
        sys.stderr.write(f"{page}: {link} leads nowhere\n")
    sys.stdout.write(f"{n_links} internal links, {len(broken)} broken\n")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
