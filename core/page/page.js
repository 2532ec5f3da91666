/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the charts of a page with dygraphs, each when it comes into sight; adds a search to long tables. */
(function () {
"use strict";
document.documentElement.classList.add("js");

/* ---- numbers --------------------------------------------------------------------------------- */

function floats(text) {
	const raw = atob(text || ""), view = new DataView(new ArrayBuffer(raw.length));
	const out = new Array(raw.length / 4);
	for (let i = 0; i < raw.length; i++) view.setUint8(i, raw.charCodeAt(i));
	for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(4 * i, true);
	return out;
}
const PREFIXES = ["p", "n", "\u00b5", "m", "", "k", "M", "G", "T", "P", "E"];
const SCALED = ["s", "B", "B/s", "FLOP/s", "1/s", "FLOP/B", "W"];
/* With a prefix where the unit takes one: digits significant ones. */
function shown(value, unit, digits) {
	if (value === null || !isFinite(value)) return "-";
	if (value === 0 || SCALED.indexOf(unit) < 0)
		return Number(value.toPrecision(digits)) + (unit ? " " + unit : "");
	const power = Math.min(6, Math.max(-4, Math.floor(Math.log10(Math.abs(value)) / 3 + 1e-9)));
	return Number((value / Math.pow(1000, power)).toPrecision(digits)) + " " + PREFIXES[power + 4] + unit;
}
/* Beside an axis that names its unit: seconds keep theirs, other units leave only the prefix. */
function tick(value, unit) {
	const full = shown(value, unit, 4);
	return unit !== "s" && unit !== "" ? full.slice(0, full.length - unit.length).trim() : full;
}
function date(ms) { return new Date(ms).toISOString().slice(0, 16).replace("T", " "); }
function titled(axis) { return axis.name + (axis.unit !== "" && axis.unit !== "s" ? ", " + axis.unit : ""); }
function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
function colour(group) { return style("--g" + group % 8); }

/* ---- the rows that dygraphs wants ------------------------------------------------------------ */

function distribution(line) {
	const sorted = line.y.filter(isFinite).sort((a, b) => a - b);
	return { x: sorted, y: sorted.map((v, i) => (i + 1) / sorted.length) };
}
/* One row for each x of any line, one column for each line; with intervals three numbers in each. */
function rows_of(lines, log) {
	const at = new Map(), interval = lines.some(l => l.low);
	lines.forEach(function (line, k) {
		for (let i = 0; i < line.x.length; i++) {
			const x = line.x[i], y = line.y[i];
			if (!isFinite(x) || !isFinite(y) || (log.x && x <= 0) || (log.y && y <= 0)) continue;
			let list = at.get(x), n = 0;
			if (!list) at.set(x, list = []);
			while (list[n] && list[n][k + 1] !== null) n++;
			if (!list[n]) { list[n] = new Array(lines.length + 1).fill(null); list[n][0] = x; }
			list[n][k + 1] = interval ? [line.low ? line.low[i] : y, y, line.high ? line.high[i] : y] : y;
		}
	});
	const rows = [];
	Array.from(at.keys()).sort((a, b) => a - b).forEach(x => at.get(x).forEach(row => rows.push(row)));
	return rows;
}

/* ---- one chart ------------------------------------------------------------------------------- */

function element(name, properties, parent) {
	const e = Object.assign(document.createElement(name), properties);
	if (parent) parent.appendChild(e);
	return e;
}
function unique(list) { return list.filter((v, i) => v !== undefined && list.indexOf(v) === i); }

function Chart(figure) {
	this.data = JSON.parse(figure.querySelector("script").textContent);
	this.data.lines.forEach(function (l) {
		l.x = floats(l.x); l.y = floats(l.y);
		if (l.low) { l.low = floats(l.low); l.high = floats(l.high); }
	});
	/* Where the x axis is time, x is in milliseconds since 1970, and dygraphs chooses dates. */
	this.timed = this.data.x_epoch !== undefined;
	this.ms = x => this.timed ? 1000 * (this.data.x_epoch + x) : x;
	if (this.timed) this.data.lines.forEach(l => { l.x = l.x.map(this.ms); });
	this.data.marks.forEach(m => { m.at = this.ms(m.at); });
	this.hidden = {};
	this.set = "";
	this.spread = false;
	this.caption = figure.querySelector("figcaption").textContent;
	this.controls = element("div", { className: "controls" }, figure);
	this.plot = element("div", { className: "plot", tabIndex: 0 }, figure);
	this.plot.setAttribute("role", "application");
	this.plot.setAttribute("aria-label", this.caption + ": chart; plus and minus zoom, arrows move, 0 shows all. " +
		"The numbers are in the tables.");
	this.reading = element("div", { className: "reading" }, figure);
	this.add_controls();
	this.draw();
	this.plot.addEventListener("keydown", this.key.bind(this));
}
Chart.prototype.add_controls = function () {
	const self = this, used = unique(this.data.lines.map(l => l.group));
	const sets = unique(this.data.lines.map(l => l.set));
	if (used.length > 1 || !this.timed) used.forEach(function (group) {
		const label = element("label", {}, self.controls);
		const box = element("input", { type: "checkbox", checked: true }, label);
		element("span", { className: "key" }, label).style.background = colour(group);
		label.appendChild(document.createTextNode(self.data.groups[group]));
		box.addEventListener("change", function () { self.hidden[group] = !box.checked; self.draw(); });
	});
	if (sets.length > 1) {
		const select = element("select", {}, element("label", { textContent: "show " }, this.controls));
		element("option", { value: "", textContent: "all executions" }, select);
		sets.forEach(s => element("option", { value: s, textContent: s }, select));
		select.addEventListener("change", function () { self.set = select.value; self.draw(); });
	}
	if (this.data.distribution) {
		const button = element("button", { type: "button", textContent: "distribution" }, this.controls);
		button.setAttribute("aria-pressed", "false");
		button.addEventListener("click", function () {
			self.spread = !self.spread;
			button.setAttribute("aria-pressed", String(self.spread));
			button.textContent = self.spread ? "over time" : "distribution";
			self.draw();
		});
	}
	const reset = element("button", { type: "button", textContent: "show all" }, this.controls);
	reset.addEventListener("click", () => self.graph && self.graph.resetZoom());
};
Chart.prototype.visible = function (of) {
	return !this.hidden[of.group] && (this.set === "" || of.set === undefined || of.set === this.set);
};
Chart.prototype.draw = function () {
	const data = this.data, spread = this.spread, self = this;
	const x = spread ? { name: data.y_name, unit: data.y_unit, log: data.y_log }
	                 : { name: data.x_name, unit: data.x_unit, log: data.x_log };
	const y = spread ? { name: "share of the samples", unit: "", log: false }
	                 : { name: data.y_name, unit: data.y_unit, log: data.y_log };
	const lines = data.lines.filter(l => this.visible(l));
	const drawn = spread ? lines.map(distribution) : lines;
	const rows = rows_of(drawn, { x: x.log, y: y.log });
	if (this.graph) { this.graph.destroy(); this.graph = null; }
	this.reading.textContent = "";
	if (rows.length === 0) { this.plot.textContent = "nothing is selected"; return; }
	this.plot.textContent = "";
	const names = lines.map((l, i) => i + " " + l.name), series = {};
	lines.forEach(function (l, i) {
		series[names[i]] = { color: colour(l.group), strokeWidth: l.points && !spread ? 0 : 1.3,
			drawPoints: (l.points || l.x.length < 60) && !spread, pointSize: l.points ? 3.5 : 2,
			stepPlot: spread };
		if (l.points && l.low && !spread) series[names[i]].plotter = whiskers;
	});
	function axis(a) {
		return { valueFormatter: v => shown(v, a.unit, 5), axisLabelFormatter: v => tick(v, a.unit),
			gridLineColor: style("--line"), axisLineColor: style("--soft") };
	}
	if (this.timed) rows.forEach(row => { row[0] = new Date(row[0]); });
	const along = axis(x);
	if (this.timed) { along.valueFormatter = date; delete along.axisLabelFormatter; }
	this.graph = new Dygraph(this.plot, rows, {
		labels: [x.name].concat(names), series: series, logscale: y.log, connectSeparatedPoints: true,
		labelsUTC: true,
		axes: { x: Object.assign(along, { logscale: x.log, pixelsPerLabel: 90 }),
			y: Object.assign(axis(y), { axisLabelWidth: 70 }) },
		xlabel: titled(x), ylabel: titled(y), customBars: drawn.some(l => l.low), legend: "never",
		highlightCircleSize: 4, includeZero: false, xRangePad: x.log ? 0 : 6, yRangePad: 6, labelsKMB: false,
		underlayCallback: (canvas, area, g) => self.shade(canvas, area, g),
		highlightCallback: (event, at, points) => self.read(at, points, x, y, lines),
		unhighlightCallback: () => { self.reading.textContent = ""; }
	});
};
/* An interval for each point, and the point. */
function whiskers(e) {
	const canvas = e.drawingContext, g = e.dygraph;
	canvas.strokeStyle = canvas.fillStyle = e.color;
	canvas.lineWidth = 1;
	e.points.forEach(function (p) {
		const low = g.toDomYCoord(p.yval_minus), high = g.toDomYCoord(p.yval_plus);
		canvas.beginPath();
		canvas.moveTo(p.canvasx, low);
		canvas.lineTo(p.canvasx, high);
		canvas.stroke();
		canvas.beginPath();
		canvas.arc(p.canvasx, p.canvasy, 2.5, 0, 2 * Math.PI);
		canvas.fill();
	});
}
/* Where something happened; each sign has a height for its labels.  Labels stand on a ground of their own, and
 * one that would touch the one before it is left out: the tables have all of them. */
const SIGNS = { stack: [0, "--soft", [4, 3]], slower: [1, "--slower", []], faster: [1, "--faster", []], note: [2, "--open", [1, 3]] };
Chart.prototype.mark = function (canvas, area, g) {
	const ends = [-Infinity, -Infinity, -Infinity], ground = style("--back");
	const marks = this.data.marks.map(m => ({ x: Math.round(g.toDomXCoord(m.at)) - 0.5, sign: SIGNS[m.sign], label: m.label }))
		.filter(m => m.x >= area.x && m.x <= area.x + area.w);
	canvas.save();
	canvas.font = "12px system-ui, sans-serif";
	marks.forEach(function (m) {
		canvas.strokeStyle = style(m.sign[1]);
		canvas.setLineDash(m.sign[2]);
		canvas.beginPath();
		canvas.moveTo(m.x, area.y);
		canvas.lineTo(m.x, area.y + area.h);
		canvas.stroke();
	});
	marks.forEach(function (m) {
		const height = m.sign[0], width = canvas.measureText(m.label).width;
		const left = m.x + 4 + width > area.x + area.w ? m.x - 4 - width : m.x + 4;
		if (left <= ends[height]) return;
		canvas.fillStyle = ground;
		canvas.fillRect(left - 2, area.y + 15 * height + 1, width + 4, 14);
		canvas.fillStyle = style(m.sign[1]);
		canvas.fillText(m.label, left, area.y + 12 + 15 * height);
		ends[height] = left + width + 4;
	});
	canvas.restore();
};
/* Where power or heat held a device back. */
Chart.prototype.shade = function (canvas, area, g) {
	if (this.spread) return;
	this.mark(canvas, area, g);
	canvas.save();
	canvas.globalAlpha = 0.16;
	this.data.bands.filter(b => this.visible(b)).forEach(function (b) {
		const from = g.toDomXCoord(b.from), to = g.toDomXCoord(b.to);
		canvas.fillStyle = colour(b.group);
		canvas.fillRect(from, area.y, Math.max(1, to - from), area.h);
	});
	canvas.restore();
};
/* The values under the pointer. */
Chart.prototype.read = function (at, points, x, y, lines) {
	const self = this;
	const parts = points.map(function (p) {
		const line = lines[parseInt(p.name, 10)], of = line.labels ? nearest(line, p) : null;
		const around = line.low && p.yval_minus < p.yval_plus ?
			" [" + shown(p.yval_minus, y.unit, 4) + " to " + shown(p.yval_plus, y.unit, 4) + "]" : "";
		return line.name + (of ? " (" + of + ")" : "") + ": " + shown(p.yval, y.unit, 4) + around;
	});
	if (this.timed) this.data.marks.filter(m => m.at === at).forEach(m => parts.push(m.label));
	const bands = this.spread ? [] : this.data.bands.filter(b => self.visible(b) && b.from <= at && at <= b.to);
	this.reading.textContent = x.name + " " + (this.timed ? date(at) : shown(at, x.unit, 4)) +
		" \u2014 " + parts.slice(0, 8).join("; ") +
		(parts.length > 8 ? "; and " + (parts.length - 8) + " more" : "") +
		(bands.length ? "; " + unique(bands.map(b => b.name)).join("; ") : "");
};
function nearest(line, p) {
	for (let i = 0; i < line.x.length; i++)
		if (line.x[i] === p.xval && Math.abs(line.y[i] - p.yval) <= 1e-6 * Math.abs(p.yval)) return line.labels[i];
	return null;
}
/* Zoom and move by keys, about the middle, in the logarithm where the axis is one. */
Chart.prototype.key = function (event) {
	const steps = { "+": [0.25, -0.25], "=": [0.25, -0.25], "-": [-0.5, 0.5], "ArrowLeft": [-0.2, -0.2],
		"ArrowRight": [0.2, 0.2] };
	if (!this.graph) return;
	if (event.key === "0" || event.key === "Escape") {
		this.graph.resetZoom();
		event.preventDefault();
	} else if (steps[event.key]) {
		const log = (this.spread ? this.data.y_log : this.data.x_log), all = this.graph.xAxisExtremes();
		const to = v => log ? Math.log(v) : v, back = v => log ? Math.exp(v) : v;
		const range = this.graph.xAxisRange().map(to), width = range[1] - range[0];
		const step = steps[event.key].map(s => s * width);
		const window = [Math.max(back(range[0] + step[0]), all[0]), Math.min(back(range[1] + step[1]), all[1])];
		if (window[0] < window[1]) this.graph.updateOptions({ dateWindow: window });
		event.preventDefault();
	}
};

/* ---- search ---------------------------------------------------------------------------------- */

/* Above a table that asks for one and is long enough: rows without all of the words are hidden. */
function add_search(region) {
	const rows = Array.from(region.querySelectorAll("tbody tr")), box = document.createElement("p");
	const texts = rows.map(r => r.textContent.toLowerCase());
	const label = document.createElement("label"), input = document.createElement("input");
	const count = document.createElement("output");
	box.className = "search";
	input.type = "search";
	input.autocomplete = "off";
	input.spellcheck = false;
	label.append(region.dataset.search + " ", input);
	box.append(label, count);
	region.before(box);
	function filter() {
		const words = input.value.toLowerCase().split(/\s+/).filter(w => w !== "");
		let shown = 0;
		rows.forEach(function (row, i) {
			row.hidden = !words.every(w => texts[i].includes(w));
			shown += row.hidden ? 0 : 1;
		});
		count.textContent = shown + " of " + rows.length;
	}
	input.addEventListener("input", filter);
	input.addEventListener("keydown", function (event) {
		if (event.key === "Escape") { input.value = ""; filter(); }
	});
	filter();
}
Array.from(document.querySelectorAll("[data-search]")).filter(r => r.querySelectorAll("tbody tr").length > 9)
	.forEach(add_search);

/* ---- the page -------------------------------------------------------------------------------- */

const charts = [];
const sight = new IntersectionObserver(function (entries) {
	entries.filter(e => e.isIntersecting).forEach(function (e) {
		sight.unobserve(e.target);
		charts.push(new Chart(e.target));
	});
}, { rootMargin: "200px" });
document.querySelectorAll("figure.chart").forEach(f => sight.observe(f));

/* A link to a case opens it. */
function open_target() {
	const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (target && target.tagName === "DETAILS") { target.open = true; target.scrollIntoView(); }
}
window.addEventListener("hashchange", open_target);
document.addEventListener("click", function (event) {
	const link = event.target.closest && event.target.closest("a[href^='#case-']");
	if (link && link.hash === location.hash) open_target();
});
open_target();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(c => c.draw()));
})();
