// SPDX-License-Identifier: Apache-2.0
//
// How the time of one problem went over the runs, where it changed, and two runs to compare.
import { address, ask, compare_path, history_limits, run_path } from "/assets/api.js";
import { history_chart } from "/assets/chart.js";
import { choice, el, fold, name, plain, section, table, unseen } from "/assets/dom.js";
import { amount_text, change_text, change_tone, count_text, date_text, interval_text, measured, p_text, run_mark, run_text,
         verdict_pill } from "/assets/figures.js";
import { profiles_part } from "/assets/page_profile.js";

function change_item(change, metric) {
    const evidence = p_text(change.p_value);
    return el("li", { class: change_tone(change.change_pct) },
        el("strong", {}, change_text(change.change_pct)),
        " between ", el("a", { href: run_path(change.run_before) }, run_mark(change.commit_before, change.created_before_utc)),
        " and ", el("a", { href: run_path(change.run_after) }, run_mark(change.commit_after, change.created_after_utc)),
        el("span", { class: "dim" }, ` ${amount_text(change.median_before_ns, metric)} to ${amount_text(change.median_after_ns, metric)}`,
            evidence && `, ${evidence}`, " "),
        el("a", { href: compare_path(change.run_before, change.run_after) }, "Compare",
            unseen(` the runs at ${run_text(change.commit_before, change.created_before_utc)} and ` +
                run_text(change.commit_after, change.created_after_utc))));
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
    const lengths = history_limits.map((limit) => [limit, `${limit} runs`]);
    return el("section", {},
        el("h1", {}, name(history.problem)),
        el("p", { class: "dim facts" }, el("span", {}, "side ", name(history.side)),
            query.get("suite") && el("span", {}, "suite ", name(query.get("suite"))),
            history.metric !== "time" && el("span", {}, "metric ", name(history.metric)),
            el("span", {}, name(history.points.at(-1)?.device))),
        fold("Filters", el("div", { class: "tools" },
            choice("Branch", [["", "all"], ...branches], query.get("branch"), pick("branch")),
            choice("Newest", lengths, query.get("limit") ?? history_limits[0], pick("limit")))).element,
        changes_part(history));
}

// Which two: those around the change that was asked for, or the newest one, else the last two.
function first_choice({ points, change_points: changes }, asked) {
    const change = changes.find((one) => one.run_after === asked) ?? changes.at(-1);
    return change ? [change.run_before, change.run_after] : [points.at(-2)?.run_id, points.at(-1).run_id];
}

function radio(group, point, chosen, changed) {
    const label = [`${group.toUpperCase()}: ${run_text(point.commit, point.created_utc)}`, point.commit && date_text(point.created_utc)]
        .filter(Boolean).join(", ");
    return el("input", { type: "radio", name: group, value: point.run_id, checked: chosen === point.run_id, "aria-label": label,
                         change: () => changed(point.run_id) });
}

function run_cell({ run_id, commit, created_utc, change }) {
    return [el("a", { href: run_path(run_id) }, run_mark(commit, created_utc)),
        change && el("span", { class: `changed ${change_tone(change.change_pct)}` }, ` ${change_text(change.change_pct)} from here on`)];
}

function points_part(history, chart, asked) {
    let [a, b] = first_choice(history, asked);
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
            { title: "run", is_head: true, cell: run_cell },
            { title: "median", class: "r", cell: (point) => amount_text(point.median_ns, history.metric) },
            { title: "95 % interval", class: "r", cell: (point) => interval_text(point.low_ns, point.high_ns, history.metric, point.median_ns) },
            { title: "rounds", class: "r", cell: (point) => point.round_count || "-", is_known: (point) => point.round_count },
            { title: "against its baseline", class: "r", cell: (point) => change_text(point.change_pct),
              is_known: (point) => Number.isFinite(point.change_pct) },
            { title: "verdict", cell: (point) => verdict_pill(point.verdict), is_known: (point) => point.verdict },
            { title: "branch", class: "wrap", cell: (point) => name(point.branch ?? "-"), is_known: (point) => point.branch },
            { title: "measured (UTC)", cell: (point) => date_text(point.created_utc), is_known: (point) => point.commit },
        ], rows));
}

export async function show(place, query) {
    if (!query.get("problem")) throw new Error("The address names no problem. Choose one in the list of problems.");
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
        "Medians of the runs with their 95 % intervals, oldest left. Dashed: a change of the level, between the two runs beside it. ",
        "Level lines are the medians between changes. Newest: ",
        ...measured(last.median_ns, last.low_ns, last.high_ns, history.metric), ".")));
    const of_side = profiles_part(profiles, ["problem", "side"]);
    place.replaceChildren(head, ...(of_side ? [of_side] : []), points_part(history, chart, query.get("at")));
}
