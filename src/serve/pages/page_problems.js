// SPDX-License-Identifier: Apache-2.0
//
// All problems: trend, newest median, change and verdict. Filters and order are the server's.
import { ask, history_path, run_path } from "/assets/api.js";
import { sparkline } from "/assets/chart.js";
import { el, name, unseen } from "/assets/dom.js";
import { change_text, count_text, date_text, measured, metric_choices, run_mark, verdict_choices, verdict_pill,
         verdict_tone } from "/assets/figures.js";
import { FilteredList, any_device, any_of, nothing_yet } from "/assets/filtered_list.js";

const columns = [ // by the keys that the server orders by
    { key: "problem", title: "problem" },
    { key: "trend", title: "trend", class: "plot" },
    { key: "median", title: "last median", class: "r" },
    { key: "change", title: "change", class: "r change" },
    { key: "verdict", title: "verdict", class: "verdicts" },
    { key: "run", title: "last run", class: "wide" },
];

function trend_text({ change_count: count, last_change_pct: newest }) {
    if (!count) return null;
    return count === 1 ? change_text(newest) : `${count_text(count, "change")}, newest ${change_text(newest)}`;
}

function row_of(row) {
    const { last } = row, trend = trend_text(row);
    return el("tr", {},
        el("th", { scope: "row" }, el("div", { class: "who" }, el("a", { class: "name", href: history_path(row) }, row.problem),
            el("span", { class: "side" }, name(row.side)), el("span", { class: "narrow" }, verdict_pill(last.verdict)))),
        el("td", { class: "plot" }, sparkline(row.trend, verdict_tone(last.verdict), trend, last.metric),
            trend && el("span", { class: "interval", "aria-hidden": "true" }, trend)),
        el("td", { class: "r" }, measured(last.median_ns, last.low_ns, last.high_ns, last.metric)),
        el("td", { class: "r change" }, change_text(last.change_pct)),
        el("td", { class: "verdicts" }, verdict_pill(last.verdict)),
        el("td", { class: "wide" }, el("a", { href: run_path(last.run_id) }, run_mark(last.commit, last.created_utc),
            unseen(` run ${last.run_id}`)),
            el("span", { class: "interval" }, [name(last.branch ?? ""), last.commit && ` ${date_text(last.created_utc).slice(0, 10)}`])));
}

// A press: down, up, and the third brings the server's own order back.
function sort(list, key) {
    const { state } = list;
    if (state.sort !== key) Object.assign(state, { sort: key, order: "descending" });
    else if (state.order === "descending") state.order = "ascending";
    else Object.assign(state, { sort: "", order: "" });
    return list.go(0).then(() => document.getElementById(`sort-${key}`)?.focus());
}

function table_of(problems, list) {
    const { state } = list;
    const head = ({ key, title, class: of }) => el("th", { scope: "col", class: of, "aria-sort": key === state.sort && state.order },
        el("button", { type: "button", id: `sort-${key}`, click: () => sort(list, key) }, title));
    return el("table", { class: "overview problems" }, el("caption", { class: "unseen" }, "Problems with their newest result"),
        el("thead", {}, el("tr", {}, columns.map(head))), el("tbody", {}, problems.map(row_of)));
}

export async function show(place, query) {
    document.title = "Problems - assay";
    const facets = await ask("facets");
    const list = new FilteredList(place, query, {
        path: "/problems", title: "Problems", size: 100, keys: ["sort", "order"],
        ask: (parameters) => ask("problems", parameters),
        say: ({ total }) => count_text(total, "problem and side", "problems and sides"),
        draw: ({ problems }) => [table_of(problems, list)],
        nothing: (answer, is_filtered) => (is_filtered ? [el("p", {}, "No problem fits these filters.")] : nothing_yet()),
        fields: [
            { key: "q", label: "Problem" }, { key: "side", label: "Side or kernel" },
            { key: "changed", label: "Changes", options: [["", "all"], ["1", "with changes"]] },
            { key: "verdict", label: "Verdict", options: [["", "all"], ...verdict_choices] },
            { key: "branch", label: "Branch", options: any_of(facets.branches) },
            { key: "device", label: "Device", options: any_device(facets.devices) },
            { key: "suite", label: "Suite", options: any_of(facets.suites) },
            { key: "metric", label: "Metric", options: [["", "all"], ...metric_choices] },
        ],
    });
    await list.go(list.offset);
}
