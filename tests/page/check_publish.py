# SPDX-License-Identifier: Apache-2.0
"""What a reader does with the pages that publish-browser.sh has written.  Pictures of them are left beside them;
EVENHAND_PICTURES=DIR keeps them."""
import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import WIDE, Browser, check, finish  # noqa: E402

site = os.path.abspath(sys.argv[1])


def clean(b, text, also=True):
    outside = [u for u in b.requests() if not u.startswith("file://" + site + "/")]
    check(also and not b.errors() and not outside, text, str(b.errors()) + str(outside))


def page(name):
    return glob.glob(os.path.join(site, name))[0]


CHART = "document.querySelector('figure.chart')"  # of cuda:a
INK = """(function () {
	let ink = 0;
	document.querySelectorAll('figure.chart')[%d].querySelectorAll('canvas').forEach(function (c) {
		const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		for (let i = 0; i < d.length; i += 4)
			if (d[i + 3] > 200 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) ink++;
	});
	return ink;
})()"""
pages = {"index": page("index.html"), "changes": page("changes.html"), "executor": page("executor-cuda-a-*"),
         "protocol": page("protocol-*"), "case": page("case-triad-n1-*")}

browser = Browser()
for name, path in pages.items():
    for width in (375, 1280, 1920):
        for dark in (False, True):
            browser.open(path, width=width, dark=dark)
            if name == "case":
                browser.until("document.querySelector('figure.chart canvas') !== null")
            text = "%s at %d px, %s" % (name, width, "dark" if dark else "light")
            clean(browser, text + ": no error, no request outside of the folder, only tables scroll sideways",
                  browser.run(WIDE) <= width)
            browser.run("scrollTo(0, 0)")
            browser.picture("%s-%d-%s.png" % (name, width, "dark" if dark else "light"))

# The charts of a case: points of their colour, dates below, marks with words, the value under the pointer.
browser.open(pages["case"])
count = browser.run("document.querySelectorAll('figure.chart').length")
ink = []
for i in range(count):
    browser.run("document.querySelectorAll('figure.chart')[%d].scrollIntoView()" % i)
    browser.until("document.querySelectorAll('figure.chart')[%d].querySelector('canvas') !== null" % i)
    ink.append(browser.run(INK % i))
check(count == 2 and all(i > 10 for i in ink), "%d charts, and all draw" % count, str(ink))
labels = browser.run("Array.from(%s.querySelectorAll('.dygraph-axis-label-x')).map(e => e.textContent).join(' ')" % CHART)
check("Mar" in labels, "dates on the axis", labels)
browser.run("%s.scrollIntoView({ block: 'center' })" % CHART)
browser.picture("chart.png")
plot = CHART + ".querySelector('.plot')"
box = browser.run("(r => [r.left, r.top, r.width, r.height])(%s.getBoundingClientRect())" % plot)
read = ""
for k in range(1, 60):
    browser.move(box[0] + box[2] * k / 60, box[1] + box[3] / 2)
    read += browser.run(CHART + ".querySelector('.reading').textContent") + "\n"
check("start of the run (UTC) 2026-03-12 08:00" in read and "stack 2; 0.91x, slower" in read and "MB/s [" in read,
      "under the pointer: time, value, unit, interval, and what changed there", read)
browser.run(plot + ".focus()")
ticks = "Array.from(%s.querySelectorAll('.dygraph-axis-label-x')).map(e => e.textContent).join()" % CHART
all_of = browser.run(ticks)
browser.key("+")
zoomed = browser.run(ticks)
browser.key("0")
check(all_of != zoomed and browser.run(ticks) == all_of, "keys zoom and show all again", all_of + "\n" + zoomed)
clean(browser, "and nothing of this was an error")

# The search.
browser.open(pages["index"])
rows = "Array.from(document.querySelectorAll('#cases tbody tr')).filter(r => !r.hidden).length"
all_rows = browser.run(rows)
browser.run("document.querySelector('.search input').focus()")
for key in "TRIAD.n2 b":
    browser.key(key)
found = browser.run("Array.from(document.querySelectorAll('#cases tbody tr')).filter(r => !r.hidden && r.checkVisibility())"
                    ".map(r => r.textContent).join('|')")
check(all_rows == 12 and found.count("|") < 3 and "triad.n2cuda:b (Example CPU)" in found and "triad.n1" not in found,
      "the search leaves the rows with all of its words", found)
check(browser.run("document.querySelector('.search output').textContent").endswith(" of 12"), "and says how many there are")
browser.run("document.querySelector('#cases').scrollIntoView()")
browser.picture("search.png")
browser.key("Escape")
check(browser.run(rows) == 12, "Escape shows all again")
browser.run("location.hash = ''; document.activeElement.blur()")
browser.open(pages["index"])
browser.key("Tab")
check(browser.run("document.activeElement.className") == "skip", "the first Tab offers the way to the content")
check(browser.run("document.title") == "Results over time" and browser.run("document.querySelectorAll('img').length") == 0,
      "texts of others are not markup")
clean(browser, "and nothing of this was an error")

# Without JavaScript the tables say it all.
browser.open(pages["case"], scripts=False)
clean(browser, "without JavaScript: no error")
browser.picture("case-no-scripts.png", whole=True)
browser.open(pages["index"], scripts=False)
browser.picture("index-no-scripts.png", whole=True)
browser.close()

sys.exit(finish())
