// SPDX-License-Identifier: Apache-2.0
//
// What changed: the change points of all problems, newest first, those between the same two runs together. The first page.
import { ask, compare_path, history_limits, history_path, run_path } from "/assets/api.js";
import { el, name, pill, unseen } from "/assets/dom.js";
import { amount_text, change_text, change_tone, count_text, date_text, metric_choices, pct_interval_text, run_mark,
         run_text } from "/assets/figures.js";
import { FilteredList, any_device, any_of, nothing_yet } from "/assets/filtered_list.js";

const page_size = 50;

// Its history as the change was found in it: of all suites and branches, and long enough.
function step_path(change) {
    const { problem, side, device_uuid, device, metric, result_count: count } = change;
    const limit = history_limits.find((one) => Number(one) >= count) ?? history_limits.at(-1);
    return history_path({ problem, side, device_uuid, device, metric, limit, at: change.run_after });
}

function change_row(change) {
    const { side, kernel, metric } = change;
    const is_named = kernel && kernel !== side;
    return el("tr", {},
        el("th", { scope: "row" }, el("div", { class: "who" }, el("a", { class: "name", href: step_path(change) }, change.problem),
            el("span", { class: "side" }, name(side), is_named && [", kernel ", name(kernel)],
                metric !== "time" && [", ", name(metric)]))),
        el("td", { class: "levels" }, el("span", { class: "figure" }, amount_text(change.median_before_ns, metric)), " to ",
            el("span", { class: "figure" }, amount_text(change.median_after_ns, metric))),
        el("td", { class: "size" }, pill(change_tone(change.change_pct), change_text(change.change_pct)),
            el("span", { class: "interval" }, pct_interval_text(change.low_pct, change.high_pct))));
}

function step_count(changes) {
    const slower = changes.filter((change) => change.change_pct > 0).length, faster = changes.length - slower;
    return [slower > 0 && pill("bad", `${slower} slower`), faster > 0 && pill("good", `${faster} faster`)];
}

// changes: of one step, which may go on on the next page.
function step_part(changes) {
    const [{ run_before, run_after, commit_before, commit_after, created_before_utc, created_after_utc, branch, device, driver, suite,
             step_count: count }] = changes;
    const before = run_text(commit_before, created_before_utc), after = run_text(commit_after, created_after_utc);
    const fact = (term, value) => value && el("span", {}, `${term} `, name(value));
    return el("article", { class: "step" },
        el("h2", {}, step_count(changes), el("span", { class: "between" }, "between ",
            el("a", { href: run_path(run_before) }, run_mark(commit_before, created_before_utc)), " and ",
            el("a", { href: run_path(run_after) }, run_mark(commit_after, created_after_utc))),
            el("a", { class: "more", href: compare_path(run_before, run_after) }, "Compare",
                unseen(` the runs at ${before} and ${after}`))),
        el("p", { class: "dim facts" }, commit_after && el("span", {}, `${date_text(created_after_utc)} UTC`), fact("branch", branch),
            fact("on", device), fact("driver", driver), fact("suite", suite),
            count > changes.length && el("span", {}, `${changes.length} of ${count} changes between these runs are on this page`)),
        el("table", { class: "steps" }, el("caption", { class: "unseen" }, `Changes between ${before} and ${after}`),
            el("thead", { class: "unseen" }, el("tr", {}, ["problem", "median before and after", "change"].map((title) =>
                el("th", { scope: "col" }, title)))),
            el("tbody", {}, changes.map(change_row))));
}

// The server gives them so that those between the same runs are neighbours.
function steps_of(changes) {
    const steps = [];
    for (const change of changes) {
        const first = steps.at(-1)?.[0];
        if (first?.run_before === change.run_before && first?.run_after === change.run_after) steps.at(-1).push(change);
        else steps.push([change]);
    }
    return steps;
}

const sides_text = (count) => count_text(count, "problem and side", "problems and sides");

function say({ total, slower_count: slower, faster_count: faster, side_count: sides }) {
    const parts = [slower && `${slower} slower`, faster && `${faster} faster`].filter(Boolean);
    return `${count_text(total, "change point")} in ${sides_text(sides)}: ${parts.join(", ")}. The newest first.`;
}

function nothing({ side_count: sides }, is_filtered) {
    if (!sides) return nothing_yet();
    if (is_filtered) return [el("p", {}, "No change fits these filters.")];
    return [el("p", { class: "lead" }, `Nothing changed in ${sides_text(sides)}.`),
        el("p", {}, "A change shows here once three runs have the new level. ", el("a", { href: "/problems" }, "All problems"))];
}

export async function show(place, query) {
    document.title = "Changes - assay";
    const facets = await ask("facets");
    const list = new FilteredList(place, query, {
        path: "/", title: "Changes", size: page_size, say, nothing,
        ask: (parameters) => ask("changes", parameters),
        draw: ({ changes }) => steps_of(changes).map(step_part),
        fields: [
            { key: "q", label: "Problem" }, { key: "side", label: "Side or kernel" },
            { key: "direction", label: "Direction", options: [["", "all"], ["slower", "slower"], ["faster", "faster"]] },
            { key: "branch", label: "Branch", options: any_of(facets.branches) },
            { key: "device", label: "Device", options: any_device(facets.devices) },
            { key: "suite", label: "Suite", options: any_of(facets.suites) },
            { key: "metric", label: "Metric", options: [["", "all"], ...metric_choices] },
        ],
    });
    await list.go(list.offset);
}
