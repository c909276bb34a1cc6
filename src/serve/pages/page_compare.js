// SPDX-License-Identifier: Apache-2.0
//
// Two runs: what `assay compare` decides of them, and its report. Without two runs in the address: a choice of them.
import { address, ask, compare_path, run_path } from "/assets/api.js";
import { choice, el, name, pill, section, table } from "/assets/dom.js";
import { amount_text, big_verdict, change_text, commit_text, date_text, verdict_choices, verdict_pill, verdict_text,
         verdict_tone } from "/assets/figures.js";

const choice_size = 200; // the newest runs that can be chosen

function run_name(run) {
    return [date_text(run.created_utc), run.commit && commit_text(run.commit), run.run_id].filter(Boolean).join("  ");
}

function chooser(runs, a, b) {
    const chosen = { a: a ?? runs[1]?.run_id, b: b ?? runs[0]?.run_id };
    const options = (id) => [...(id && !runs.some((run) => run.run_id === id) ? [[id, id]] : []),
                             ...runs.map((run) => [run.run_id, run_name(run)])];
    const go = el("a", { class: "act", id: "compare" }, "Compare A with B");
    const choose = (key, id) => {
        chosen[key] = id;
        go.href = compare_path(chosen.a, chosen.b);
    };
    const pick = (key, label) => choice(label, options(chosen[key]), chosen[key], (id) => choose(key, id));
    choose("a", chosen.a);
    return el("div", { class: "tools runs" }, pick("a", "Baseline (A)"), pick("b", "Candidate (B)"), go);
}

function counts(decision) {
    const found = verdict_choices.filter(([verdict]) => decision.counts?.[verdict]);
    return el("ul", { class: "counts" }, found.map(([verdict, text]) =>
        el("li", {}, pill(verdict_tone(verdict), `${decision.counts[verdict]} ${text}`))));
}

function tiles(decision) {
    const ratio = (value) => (Number.isFinite(value) ? `${value.toFixed(3)}x` : null);
    const tile = (value, ...title) => value && el("div", {}, el("dt", {}, title), el("dd", {}, value));
    return el("dl", { class: "tiles" }, tile(ratio(decision.geomean_speedup), "speed-up, geometric mean"),
        tile(ratio(decision.best_speedup), "best, ", name(decision.best_name)),
        tile(ratio(decision.worst_speedup), "worst, ", name(decision.worst_name)), tile(String(decision.cases.length), "problems"));
}

function verdict_part(decision, a, b) {
    const tone = verdict_tone(decision.verdict);
    const run = (id) => el("a", { class: "name", href: run_path(id) }, id);
    const remarks = [...(decision.warnings ?? []), ...(decision.notes ?? [])];
    return el("section", { class: `verdict ${tone}` },
        el("div", {}, big_verdict(tone, verdict_text(decision.verdict)), el("p", { class: "lead" }, decision.sentence ?? ""),
            el("p", { class: "dim" }, "candidate (B) ", run(b), " against baseline (A) ", run(a)), counts(decision), tiles(decision)),
        remarks.length > 0 && el("div", { class: "sure" }, el("h2", {}, "How sure"),
            el("ul", {}, remarks.map((text) => el("li", {}, text)))));
}

function interval(low, high) {
    return Number.isFinite(low) && Number.isFinite(high) ? `${low.toFixed(1)} to ${high.toFixed(1)} %` : "-";
}

function cases_part(decision) {
    return section("Problems", table("Problems of both runs", [
        { title: "problem", is_head: true, cell: (item) => name(item.name) },
        { title: "verdict", cell: (item) => verdict_pill(item.verdict) },
        { title: "change", class: "r", cell: (item) => change_text(item.change_pct) },
        { title: "its interval", class: "r", cell: (item) => interval(item.change_low_pct, item.change_high_pct) },
        { title: "A", class: "r", cell: (item) => amount_text(item.median_base_ns, decision.metric) },
        { title: "B", class: "r", cell: (item) => amount_text(item.median_cand_ns, decision.metric) },
        { title: "why", class: "why", cell: (item) => item.sentence ?? (item.reason ?? "").replaceAll("_", " ") },
    ], [...decision.cases].sort((one, other) => (other.change_pct ?? -Infinity) - (one.change_pct ?? -Infinity))));
}

function report_part(a, b) {
    const report = address("/api/v1/compare/report", { a, b });
    return section("Report", el("p", { class: "links" }, el("a", { href: report }, "Open the report alone")),
        el("iframe", { class: "report", src: report, title: "Report of the comparison", loading: "lazy" }));
}

export async function show(place, query) {
    const a = query.get("a"), b = query.get("b");
    document.title = "Compare - assay";
    const { runs } = await ask("runs", { limit: choice_size });
    if (!a || !b) {
        place.replaceChildren(el("section", {}, el("h1", {}, "Compare two runs"), runs.length > 1 ? chooser(runs, a, b)
            : el("p", { class: "lead" }, "This takes two runs, and the store has fewer.")));
        return;
    }
    const decision = await ask("compare", { a, b });
    place.replaceChildren(verdict_part(decision, a, b), cases_part(decision), report_part(a, b),
        section("Compare others", chooser(runs, a, b)));
}
