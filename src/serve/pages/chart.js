// SPDX-License-Identifier: Apache-2.0
//
// Charts as SVG, drawn here as the HTML report draws its own in C: they print, follow the colours of the page, and need no library.
import { el, plain, svg } from "/assets/dom.js";
import { amount_text, change_text, change_tone, commit_text, count_text, date_text, interval_text, run_text,
         tick_text } from "/assets/figures.js";

// The least range, of the median: noise of a thousandth is not drawn as a mountain.
const chart_span = 0.02, spark_span = 0.06;

// The range of times, with a share of it above and below as room.
function range_of(values, least_span, room) {
    const known = values.filter(Number.isFinite);
    let low = Math.min(...known), high = Math.max(...known);
    const missing = Math.max(0, least_span * (low + high) / 2 - (high - low));
    low -= missing / 2 + room * (high - low + missing);
    high += missing / 2 + room * (high - low + missing);
    return { low: Math.max(low, 0), high };
}

function ticks_of(range, count) {
    const rough = (range.high - range.low) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
    const ticks = [];
    for (let value = Math.ceil(range.low / step) * step; value <= range.high; value += step) ticks.push(value);
    return { step, ticks };
}

// A trend of few pixels in a row of a table: the line, and the newest point as a dot in the tone of its verdict. changes: in words.
export function sparkline(trend, tone, changes, metric) {
    const medians = trend.filter(Number.isFinite);
    if (medians.length < 2) return el("span", { class: "dim" }, count_text(medians.length, "run"));
    const range = range_of(medians, spark_span, 0.12);
    const x = (i) => (3 + 94 * i / (medians.length - 1)).toFixed(2);
    const y = (ns) => (30 - 30 * (ns - range.low) / (range.high - range.low)).toFixed(2);
    const label = `${count_text(medians.length, "run")}, ${amount_text(medians[0], metric)} to ${amount_text(medians.at(-1), metric)}` +
        (changes ? `, ${changes}` : "");
    const end = `M${x(medians.length - 1)} ${y(medians.at(-1))}`;
    return svg("svg", { class: `spark ${tone}`, viewBox: "0 0 100 30", preserveAspectRatio: "none", role: "img", "aria-label": label },
        svg("path", { class: "line", d: `M${medians.map((ns, i) => `${x(i)} ${y(ns)}`).join("L")}` }),
        svg("path", { class: "end", d: `${end}h.01` }));
}

// ---- the history of a problem ----

const margin = { left: 76, right: 14, top: 40, bottom: 44 };
const height = 340;
const label_gap = 110; // pixels, at least, between two labels of commits

function layout(width, history) {
    const { points } = history;
    const range = range_of(points.flatMap((point) => [point.low_ns, point.median_ns, point.high_ns]), chart_span, 0.08);
    const inner = width - margin.left - margin.right, room = height - margin.top - margin.bottom;
    const step = inner / Math.max(points.length, 1);
    return { width, range, step, x: (i) => margin.left + (i + 0.5) * step,
             y: (ns) => margin.top + room * (1 - (ns - range.low) / (range.high - range.low)) };
}

function axis_y(at, metric) {
    const { step, ticks } = ticks_of(at.range, 5);
    return ticks.map((ns) => svg("g", {},
        svg("line", { class: "grid", x1: margin.left, x2: at.width - margin.right, y1: at.y(ns), y2: at.y(ns) }),
        svg("text", { class: "end", x: margin.left - 10, y: at.y(ns) + 4 }, tick_text(ns, step, metric))));
}

// Commits and days below the points, as many as there is room for; the newest always.
function axis_x(at, points) {
    const every = Math.max(1, Math.ceil(label_gap / at.step));
    const labels = [];
    for (let i = points.length - 1; i >= 0; i -= every)
        labels.push(svg("g", { class: "label" },
            points[i].commit && svg("text", { class: "code", x: edge(at, i), y: height - margin.bottom + 20 },
                commit_text(points[i].commit).slice(0, 10)),
            svg("text", { class: "dim", x: edge(at, i), y: height - margin.bottom + (points[i].commit ? 36 : 20) },
                date_text(points[i].created_utc).slice(0, 10))));
    return labels;
}

// A label's middle, held inside the drawing.
const edge = (at, i) => Math.min(Math.max(at.x(i), 40), at.width - 40);

// Level of the points between two changes.
function levels(at, history) {
    const { points, change_points: changes } = history;
    return changes.flatMap((change, i) => {
        const first = i ? changes[i - 1].index : 0, end = i + 1 < changes.length ? changes[i + 1].index : points.length;
        const line = (from, to, ns) => svg("line", { class: "level", x1: at.x(from) - at.step / 2, x2: at.x(to - 1) + at.step / 2,
                                                     y1: at.y(ns), y2: at.y(ns) });
        const before = i ? [] : [line(first, change.index, change.median_before_ns)];
        return [...before, line(change.index, end, change.median_after_ns)];
    });
}

// Where labels of neighbours would meet, every second one stands a line higher.
function change_marks(at, history) {
    let last_x = -Infinity, is_high = false;
    return history.change_points.map((change) => {
        const x = at.x(change.index) - at.step / 2, text = change_text(change.change_pct);
        is_high = x - last_x < 110 && !is_high;
        last_x = x;
        return svg("g", { class: `mark ${change_tone(change.change_pct)}` },
            svg("line", { x1: x, x2: x, y1: margin.top - 8, y2: height - margin.bottom }),
            svg("text", { x: Math.min(Math.max(x, 46), at.width - 46), y: is_high ? 12 : 27 }, text));
    });
}

function dots(at, points, chosen) {
    const radius = Math.max(1.6, Math.min(4, at.step / 3));
    return points.map((point, i) => svg("g", { class: "dot" },
        Number.isFinite(point.low_ns) && Number.isFinite(point.high_ns) &&
            svg("line", { x1: at.x(i), x2: at.x(i), y1: at.y(point.low_ns), y2: at.y(point.high_ns) }),
        svg("circle", { cx: at.x(i), cy: at.y(point.median_ns), r: radius }),
        chosen.includes(point.run_id) && svg("g", { class: "chosen" },
            svg("circle", { cx: at.x(i), cy: at.y(point.median_ns), r: radius + 5 }),
            svg("text", { x: at.x(i), y: Math.max(at.y(point.median_ns) - radius - 10, 12) }, chosen[0] === point.run_id ? "A" : "B"))));
}

// In words what the chart shows; the table below it has every point.
function summary(history) {
    const { points, change_points: changes, metric } = history;
    const parts = changes.map((one) => `${change_text(one.change_pct)} at ${run_text(one.commit_after, one.created_after_utc)}`);
    return `Medians of ${count_text(points.length, "run")}, the newest ${amount_text(points.at(-1).median_ns, metric)}. ` +
        (parts.length ? `Changes: ${parts.join(", ")}.` : "No change point.") + " All points are in the table below.";
}

function read_out(label, at, { points, metric }) {
    const show = (event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const i = Math.floor(((event.clientX - box.left) * at.width / box.width - margin.left) / at.step);
        const point = points[Math.min(Math.max(i, 0), points.length - 1)];
        label.hidden = false;
        const interval = interval_text(point.low_ns, point.high_ns, metric, point.median_ns);
        const run = run_text(point.commit, point.created_utc);
        label.textContent = plain(`${run}  ${amount_text(point.median_ns, metric)}` + (interval && ` (${interval})`));
    };
    return { pointermove: show, pointerdown: show, pointerleave: () => { label.hidden = true; } };
}

// A chart that is drawn anew when its width or the two runs chosen change: {element, choose(a, b)}.
export function history_chart(history) {
    const label = el("span", { class: "read", hidden: true, "aria-hidden": "true" });
    const area = el("div", { class: "chart" });
    let chosen = [], drawn = 0;
    const draw = () => {
        const width = Math.max(Math.round(area.clientWidth), 280);
        const at = layout(width, history);
        drawn = width;
        area.replaceChildren(label, svg("svg", { class: "history", viewBox: `0 0 ${width} ${height}`, role: "img",
                                                 "aria-label": summary(history), ...read_out(label, at, history) },
            axis_y(at, history.metric), levels(at, history), change_marks(at, history), dots(at, history.points, chosen),
            axis_x(at, history.points)));
    };
    new ResizeObserver(() => { if (Math.round(area.clientWidth) !== drawn) draw(); }).observe(area);
    return { element: area, choose: (a, b) => { chosen = [a, b]; if (drawn) draw(); } };
}
