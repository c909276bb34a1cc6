// SPDX-License-Identifier: Apache-2.0
//
// How the time of one problem went over the runs, where it changed, and two runs to compare.
import { address, ask, compare_path, run_path } from "/assets/api.js";
import { history_chart } from "/assets/chart.js";
import { choice, el, name, plain, section, table, unseen } from "/assets/dom.js";
import { amount_text, change_text, change_tone, commit_text, count_text, date_text, interval_text, measured, p_text,
         verdict_pill } from "/assets/figures.js";
import { profiles_part } from "/assets/page_profile.js";

const limits = ["100", "300", "1000"];

function change_item(change, metric) {
    const evidence = p_text(change.p_value);
    return el("li", { class: change_tone(change.change_pct) },
        el("strong", {}, change_text(change.change_pct)),
        " between ", el("a", { href: run_path(change.run_before) }, el("code", {}, commit_text(change.commit_before))),
        " and ", el("a", { href: run_path(change.run_after) }, el("code", {}, commit_text(change.commit_after))),
        el("span", { class: "dim" }, ` ${amount_text(change.median_before_ns, metric)} to ${amount_text(change.median_after_ns, metric)}`,
            evidence && `, ${evidence}`, " "),
        el("a", { href: compare_path(change.run_before, change.run_after) }, "Compare",
            unseen(` the runs at ${commit_text(change.commit_before)} and ${commit_text(change.commit_after)}`)));
}

function changes_part(history) {
    const changes = [...history.change_points].reverse();
    if (!history.points.length) return el("p", {}, "No run of it fits these filters.");
    if (!changes.length) return el("p", { class: "dim" }, `No change point in ${count_text(history.points.length, "run")}.`);
    return el("ul", { class: "changes" }, changes.map((change) => change_item(change, history.metric)));
}

function head_part(history, query, facets, show_again) {
    const pick = (key) => (value) => show_again(key, value);
    const branches = facets.branches.map((branch) => [branch, branch]);
    return el("section", {},
        el("h1", {}, name(history.problem)),
        el("p", { class: "dim facts" }, el("span", {}, "side ", name(history.side)),
            query.get("suite") && el("span", {}, "suite ", name(query.get("suite"))),
            history.metric !== "time" && el("span", {}, "metric ", name(history.metric)),
            el("span", {}, name(history.points.at(-1)?.device))),
        el("div", { class: "tools" },
            choice("Branch", [["", "all"], ...branches], query.get("branch"), pick("branch")),
            choice("Newest", limits.map((limit) => [limit, `${limit} runs`]), query.get("limit") ?? limits[0], pick("limit"))),
        changes_part(history));
}

// Which two: those around the newest change, else the last two.
function first_choice({ points, change_points: changes }) {
    const change = changes.at(-1);
    return change ? [change.run_before, change.run_after] : [points.at(-2)?.run_id, points.at(-1).run_id];
}

function radio(group, point, chosen, changed) {
    const label = `${group.toUpperCase()}: ${commit_text(point.commit)}, ${date_text(point.created_utc)}`;
    return el("input", { type: "radio", name: group, value: point.run_id, checked: chosen === point.run_id, "aria-label": label,
                         change: () => changed(point.run_id) });
}

function commit_cell({ run_id, commit, change }) {
    return [el("a", { href: run_path(run_id) }, el("code", {}, commit_text(commit))),
        change && el("span", { class: `changed ${change_tone(change.change_pct)}` }, ` ${change_text(change.change_pct)} from here on`)];
}

function points_part(history, chart) {
    let [a, b] = first_choice(history);
    const go = el("a", { class: "act", id: "compare" });
    const choose = () => {
        const is_ready = a && b && a !== b;
        go.textContent = is_ready ? "Compare A with B" : "Choose two runs, A and B";
        if (is_ready) go.href = compare_path(a, b);
        else go.removeAttribute("href");
        chart.choose(a, b);
    };
    const starts = new Map(history.change_points.map((change) => [change.index, change]));
    const rows = history.points.map((point, i) => ({ ...point, change: starts.get(i) })).reverse();
    choose();
    return section("Points", el("p", { class: "dim" }, "Newest first. Choose a baseline (A) and a candidate (B)."),
        el("p", {}, go),
        table("All points of the chart", [
            { title: "A", cell: (point) => radio("a", point, a, (id) => { a = id; choose(); }) },
            { title: "B", cell: (point) => radio("b", point, b, (id) => { b = id; choose(); }) },
            { title: "commit", is_head: true, cell: commit_cell },
            { title: "median", class: "r", cell: (point) => amount_text(point.median_ns, history.metric) },
            { title: "95 % interval", class: "r", cell: (point) => interval_text(point.low_ns, point.high_ns, history.metric, point.median_ns) },
            { title: "rounds", class: "r", cell: (point) => point.round_count ?? "-" },
            { title: "against its baseline", class: "r", cell: (point) => change_text(point.change_pct) },
            { title: "verdict", cell: (point) => verdict_pill(point.verdict) },
            { title: "branch", cell: (point) => name(point.branch ?? "-") },
            { title: "measured (UTC)", cell: (point) => date_text(point.created_utc) },
        ], rows));
}

export async function show(place, query) {
    if (!query.get("problem")) throw new Error("The address names no problem. Choose one in the overview.");
    const filters = Object.fromEntries(query);
    const [history, facets, { profiles }] = await Promise.all([ask("history", filters), ask("facets"), ask("profiles", filters)]);
    document.title = plain(`${history.problem} - assay`);
    const show_again = (key, value) => location.assign(address("/history", { ...filters, [key]: value }));
    const head = head_part(history, query, facets, show_again);
    if (!history.points.length) {
        place.replaceChildren(head);
        return;
    }
    const chart = history_chart(history);
    const last = history.points.at(-1);
    head.append(el("figure", {}, chart.element, el("figcaption", {},
        "Medians of the runs with their 95 % intervals, oldest left. Dashed: a change of the level, between the two commits beside it. ",
        "Level lines are the medians between changes. Newest: ",
        ...measured(last.median_ns, last.low_ns, last.high_ns, history.metric), ".")));
    const of_side = profiles_part(profiles, ["problem", "side"]);
    place.replaceChildren(head, ...(of_side ? [of_side] : []), points_part(history, chart));
}
