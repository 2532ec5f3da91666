# SPDX-License-Identifier: Apache-2.0
"""Whether the pages of a folder hold together: every link leads to a file of the folder and a place on it, every
page has one first heading, a title and a language, every table a caption and heads with a scope."""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, body):
        super().__init__()
        self.ids, self.links, self.tags, self.wrong = set(), [], [], []
        self.tables = 0
        self.feed(body)
        for tag, least, most in (("h1", 1, 1), ("title", 1, 1), ("main", 1, 1), ("nav", 1, 1)):
            if not least <= self.tags.count(tag) <= most:
                self.wrong.append("%d of %s" % (self.tags.count(tag), tag))
        if self.tags.count("table") != self.tags.count("caption"):
            self.wrong.append("a table without a caption")

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.tags.append(tag)
        if "id" in of:
            if of["id"] in self.ids:
                self.wrong.append("twice: " + of["id"])
            self.ids.add(of["id"])
        for name in ("href", "src"):
            if name in of:
                self.links.append(of[name])
        if tag == "th" and of.get("scope") not in ("col", "row"):
            self.wrong.append("a head without a scope")
        if tag == "html" and of.get("lang") != "en":
            self.wrong.append("no language")


folder = sys.argv[1]
pages = {name: Page(open(os.path.join(folder, name), encoding="utf-8").read())
         for name in sorted(os.listdir(folder)) if name.endswith(".html") and "mine" not in name}
wrong = ["%s: %s" % (name, w) for name, page in pages.items() for w in page.wrong]
reached = set()
for name, page in pages.items():
    for link in page.links:
        file, _, place = link.partition("#")
        file = urllib.parse.unquote(file) or name
        reached.add(file)
        if os.path.isabs(file) or ".." in file or ":" in file or not os.path.isfile(os.path.join(folder, file)):
            wrong.append("%s: %s is not in the folder" % (name, link))
        elif place and place not in pages[file].ids:
            wrong.append("%s: %s is no place of it" % (name, link))
wrong += ["%s: no page leads to it" % name for name in pages if name not in reached]
print("%d pages, %d links" % (len(pages), sum(len(p.links) for p in pages.values())))
for w in wrong[:20]:
    print(w, file=sys.stderr)
sys.exit(1 if wrong or not pages else 0)
