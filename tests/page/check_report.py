# SPDX-License-Identifier: Apache-2.0
"""What a reader does with the pages that report-browser.sh has written.  Pictures of them are left
beside them; EVENHAND_PICTURES=DIR keeps them."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import WIDE, Browser, check, finish  # noqa: E402

def clean(b, text):
    check(not b.errors() and not b.requests(), text, str(b.errors()) + str(b.requests()))


LARGEST = 15e6   # bytes, and seconds to the first paint: of five results of 200 cases with 1,000 samples
PAINT = 1.0

browser = Browser()
for page in ("three.html", "one.html", "sizes.html"):
    for width in (375, 1280, 1920):
        for dark in (False, True):
            browser.open(page, width=width, dark=dark)
            name = "%s at %d px, %s" % (page, width, "dark" if dark else "light")
            clean(browser, name + ": no error and no request")
            check(browser.run(WIDE) <= width, name + ": only tables scroll sideways", str(browser.run(WIDE)))
            browser.picture("%s-%d-%s.png" % (page[:-5], width, "dark" if dark else "light"))

# Every chart of the page draws: there is ink of a line's colour in its canvas.
browser.open("three.html")
browser.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
figures = browser.run("document.querySelectorAll('figure.chart').length")
for i in range(figures):
    browser.run("document.querySelectorAll('figure.chart')[%d].scrollIntoView()" % i)
    browser.until("document.querySelectorAll('figure.chart')[%d].querySelector('canvas') !== null" % i)
INK = """(function () {
	return Array.from(document.querySelectorAll('figure.chart')).map(function (f) {
		let ink = 0;
		f.querySelectorAll('canvas').forEach(function (c) {
			const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
			for (let i = 0; i < d.length; i += 4)
				if (d[i + 3] > 200 && Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60) ink++;
		});
		return ink;
	});
})()"""
ink = browser.run(INK)
check(figures >= 9 and all(i > 20 for i in ink), "%d charts, and all draw" % figures, str(ink))
browser.picture("charts.png", whole=False)

# A link of the grid opens its case; the distribution; a group that is switched off; the pointer.
browser.open("three.html")
browser.run("document.querySelector('#answer td a[href=\"#case-4\"]').click()")
check(browser.until("document.getElementById('case-4').open"), "a cell of the grid opens its case")
plot = "document.querySelector('#case-4 .plot')"
browser.until("document.querySelector('#case-4 canvas') !== null")
browser.run("Array.from(document.querySelectorAll('#case-4 .controls button'))[0].click()")
check(browser.until("document.querySelector('#case-4 .dygraph-ylabel').textContent.includes('share of the samples')"),
      "the samples as a distribution")
browser.run("document.querySelectorAll('#case-4 .controls input').forEach(i => i.click())")
check("nothing is selected" in browser.run(plot + ".textContent"), "executors can be switched off")
browser.run("document.querySelectorAll('#case-4 .controls input').forEach(i => i.click())")
browser.run("Array.from(document.querySelectorAll('#case-4 .controls button'))[0].click()")
box = browser.run("(r => [r.left, r.top, r.width, r.height])(%s.getBoundingClientRect())" % plot)
browser.move(box[0] + box[2] / 2, box[1] + box[3] / 2)
check(browser.until("/host:gcc-12.*s/.test(document.querySelector('#case-4 .reading').textContent)"),
      "the values under the pointer have names and units")

# Keys alone: the plot takes the focus, zooms, moves and comes back.
browser.run(plot + ".focus()")
ticks = "Array.from(document.querySelectorAll('#case-4 .dygraph-axis-label-x')).map(e => e.textContent).join()"
all_of = browser.run(ticks)
browser.key("+")
zoomed = browser.run(ticks)
browser.key("ArrowRight")
moved = browser.run(ticks)
browser.key("0")
check(all_of != zoomed and zoomed != moved and browser.run(ticks) == all_of, "keys zoom, move and show all again",
      "\n".join((all_of, zoomed, moved, browser.run(ticks))))
browser.open("three.html")
browser.key("Tab")
check(browser.run("document.activeElement.className") == "skip", "the first Tab offers the way to the answer")
clean(browser, "and nothing of this was an error")

# Without JavaScript the tables say it all.
browser.open("three.html", scripts=False)
browser.picture("no-scripts.png")
clean(browser, "without JavaScript: no error")

# A large one, whose tester is a script.
size = os.path.getsize("large.html")
check(size < LARGEST, "five results of 200 cases with 1,000 samples: %.1f MB" % (size / 1e6))
browser.open("large.html")
paint = browser.run("performance.getEntriesByType('paint')[0].startTime") / 1000
check(paint < PAINT, "first paint after %.2f s" % paint)
check(browser.run("document.title") != "1", "its tester's name does not run")
browser.run("location.hash = '#case-150'")
check(browser.until("document.querySelector('#case-150 canvas') !== null"), "a case far down opens and draws")
clean(browser, "and nothing of this was an error")
browser.close()

sys.exit(finish())
