// SPDX-License-Identifier: Apache-2.0
//
// One run: what it was, its results, and its report in a frame. Without a run in the address: the list of runs and the baselines.
import { address, ask, history_path, run_path } from "/assets/api.js";
import { amount_text, big_verdict, change_text, commit_text, count_text, date_text, interval_text, verdict_pill, verdict_text,
         verdict_tone } from "/assets/figures.js";
import { el, facts, name, pager, plain, section, table } from "/assets/dom.js";
import { profiles_part } from "/assets/page_profile.js";

const list_size = 50;

function head_part(run, baselines) {
    const tone = verdict_tone(run.verdict);
    const of_branches = baselines.filter((baseline) => baseline.run_id === run.run_id).map((baseline) => baseline.branch);
    return el("section", { class: `verdict ${tone}` }, el("div", {},
        big_verdict(tone, verdict_text(run.verdict)),
        el("p", { class: "lead" }, count_text(run.problem_count ?? 0, "problem"), " on ", name(run.device ?? "an unknown device")),
        facts([
            ["run", name(run.run_id)], ["measured (UTC)", date_text(run.created_utc)], ["suite", run.suite && name(run.suite)],
            ["metric", run.metric === "time" ? null : name(run.metric)],
            ["commit", run.commit && el("code", {}, commit_text(run.commit))],
            ["commit before", run.parent && el("code", {}, commit_text(run.parent))],
            ["branch", run.branch && name(run.branch)], ["driver", run.driver && name(run.driver)], ["host", run.host && name(run.host)],
            ["baseline of", of_branches.length ? of_branches.map((branch, i) => [i ? ", " : "", name(branch)]).flat() : null],
        ]),
        run.command && el("ul", { class: "commands" }, el("li", {}, el("code", {}, run.command)))));
}

function results_part(run, results) {
    return section("Results", results.length ? table("Results of the run", [
        { title: "problem", is_head: true,
          cell: (row) => el("a", { class: "name", href: history_path({ ...row, suite: run.suite, device: run.device, metric: run.metric }) },
              row.problem) },
        { title: "side", class: "wrap", cell: (row) => [name(row.side), row.role && el("span", { class: "side" }, ` ${row.role}`)] },
        { title: "median", class: "r", cell: (row) => amount_text(row.median_ns, run.metric) },
        { title: "95 % interval", class: "r", cell: (row) => interval_text(row.low_ns, row.high_ns, run.metric, row.median_ns) },
        { title: "rounds", class: "r", cell: (row) => row.round_count || "-", is_known: (row) => row.round_count },
        { title: "change", class: "r", cell: (row) => change_text(row.change_pct), is_known: (row) => Number.isFinite(row.change_pct) },
        { title: "verdict", cell: (row) => verdict_pill(row.verdict) },
    ], results) : el("p", {}, "The run has no results."));
}

function report_part(id) {
    const at = `/api/v1/runs/${encodeURIComponent(id)}`;
    const link = (href, text) => el("a", { href }, text);
    return section("Report", el("p", { class: "links" }, link(`${at}/report`, "Open the report alone"),
            link(`${at}/report#environment`, "Environment"), link(`${at}/document`, "The result as JSON")),
        el("p", { class: "dim" }, "Distributions, course over time, roofline, environment and how to repeat it."),
        el("iframe", { class: "report", src: `${at}/report`, title: `Report of the run ${id}`, loading: "lazy" }));
}

async function show_run(place, id) {
    const [{ run, results }, { baselines }, { profiles }] = await Promise.all([
        ask(`runs/${encodeURIComponent(id)}`), ask("baselines"), ask("profiles", { run: id })]);
    document.title = plain(`${run.run_id} - assay`);
    place.replaceChildren(...[head_part(run, baselines), results_part(run, results), profiles_part(profiles, ["commit"]),
        report_part(id)].filter(Boolean));
}

// ---- the list ----

const run_link = (run) => el("a", { class: "name", href: run_path(run.run_id) }, run.run_id);

function runs_part({ total, runs }, offset) {
    const go = (to) => location.assign(address("/run", { offset: to || null }));
    return el("section", {}, el("h1", {}, "Runs"), el("p", { class: "dim" }, `${count_text(total, "run")}, newest first`),
        runs.length ? table("Runs, newest first", [
            { title: "run", class: "id", is_head: true, cell: run_link },
            { title: "verdict", cell: (run) => verdict_pill(run.verdict) },
            { title: "commit", cell: (run) => el("code", {}, commit_text(run.commit)), is_known: (run) => run.commit },
            { title: "branch", class: "wrap", cell: (run) => name(run.branch ?? "-"), is_known: (run) => run.branch },
            { title: "suite", class: "wrap", cell: (run) => name(run.suite ?? "-") },
            { title: "problems", class: "r", cell: (run) => run.problem_count ?? "-" },
            { title: "device", class: "device", cell: (run) => name(run.device ?? "-") },
            { title: "measured (UTC)", cell: (run) => date_text(run.created_utc) },
        ], runs) : el("p", { class: "lead" }, "No run is kept in this store yet."),
        pager({ offset, size: list_size, total, go }));
}

function baselines_part(baselines) {
    return section("Baselines", table("Baselines of branches", [
        { title: "branch", is_head: true, cell: (baseline) => name(baseline.branch) },
        { title: "suite", cell: (baseline) => name(baseline.suite) },
        { title: "run", cell: run_link },
        { title: "commit", cell: (baseline) => el("code", {}, commit_text(baseline.commit)), is_known: (baseline) => baseline.commit },
        { title: "device", cell: (baseline) => name(baseline.device_uuid) },
        { title: "measured (UTC)", cell: (baseline) => date_text(baseline.created_utc) },
    ], baselines));
}

async function show_list(place, query) {
    document.title = "Runs - assay";
    const offset = Math.max(0, Math.floor(Number(query.get("offset")) || 0));
    const [list, { baselines }] = await Promise.all([ask("runs", { limit: list_size, offset }), ask("baselines")]);
    place.replaceChildren(runs_part(list, offset), ...(baselines.length ? [baselines_part(baselines)] : []));
}

export async function show(place, query) {
    const id = query.get("id");
    await (id ? show_run(place, id) : show_list(place, query));
}
