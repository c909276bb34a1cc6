// SPDX-License-Identifier: Apache-2.0
//
// One profile: where the bottleneck is, what could help, the roofline, and every figure that was counted.
import { ask, history_path, run_path } from "/assets/api.js";
import { commit_text, date_text } from "/assets/figures.js";
import { el, facts, name, pill, plain, section, table } from "/assets/dom.js";

// "memory_bound" -> "memory bound"
export const class_text = (bottleneck) => (bottleneck ?? "unknown").replaceAll("_", " ");
export const profile_path = (id) => `/profile?id=${encodeURIComponent(id)}`;

// A table of profiles, or nothing where there is none. columns: which of the columns below are left out.
export function profiles_part(profiles, left_out) {
    const columns = [
        { title: "bottleneck", is_head: true, cell: (row) => el("a", { href: profile_path(row.id) }, class_text(row.bottleneck)) },
        { title: "because", class: "wrap", cell: (row) => name(row.because ?? "-") },
        { title: "problem", class: "wrap", cell: (row) => el("a", { class: "name", href: history_path(row) }, row.problem) },
        { title: "side", class: "wrap", cell: (row) => name(row.side) },
        { title: "profiler", cell: (row) => name(row.profiler ?? "-") },
        { title: "commit", cell: (row) => el("code", {}, commit_text(row.commit)), is_known: (row) => row.commit },
        { title: "measured (UTC)", cell: (row) => date_text(row.created_utc) },
    ];
    if (!profiles.length) return null;
    return section("Profiles", table("Profiles, newest first", columns.filter(({ title }) => !left_out.includes(title)), profiles));
}

function head_part(row, diagnosis) {
    return el("section", {}, el("h1", {}, class_text(diagnosis.bottleneck)),
        el("p", { class: "lead" }, diagnosis.because ?? ""),
        diagnosis.is_unreliable && el("p", {}, pill("unsure", "Counters of this launch say little: the remarks below say why.")),
        facts([
            ["problem", el("a", { class: "name", href: history_path(row) }, row.problem)], ["side", name(row.side)],
            ["counted by", row.profiler && name(row.profiler)], ["measured (UTC)", date_text(row.created_utc)],
            ["run", row.run_id && el("a", { class: "name", href: run_path(row.run_id) }, row.run_id)],
            ["commit", row.commit && el("code", {}, commit_text(row.commit))], ["branch", row.branch && name(row.branch)],
            ["device", row.device && name(row.device)],
        ]),
        el("p", { class: "links" }, el("a", { href: `/api/v1/profiles/${row.id}/document` }, "The profile as JSON")));
}

const gain_text = (gain) => (Number.isFinite(gain) ? `at most ${gain.toFixed(2)}x as fast` : "-");

function hypotheses_part({ hypotheses, notes }) {
    const remarks = (notes ?? []).length > 0 && el("ul", {}, notes.map((note) => el("li", {}, note)));
    if (!hypotheses.length) return section("What could help", el("p", {}, "No figure speaks for a hypothesis."), remarks);
    return section("What could help", table("Hypotheses, the largest gain first", [
        { title: "try to", is_head: true, cell: (row) => row.text },
        { title: "because", class: "wrap", cell: (row) => row.metric ?? "-" },
        { title: "how to find out", class: "wrap", cell: (row) => row.test ?? "-" },
        { title: "gain", class: "r", cell: (row) => gain_text(row.gain) },
    ], hypotheses), remarks);
}

// The points in words, beside the drawing.
function roofline_part(row, roofline) {
    if (!roofline?.points?.length) return null;
    const number = (value) => (Number.isFinite(value) ? value.toPrecision(3) : "-");
    return section("Roofline",
        el("figure", { class: "scroll", tabindex: "0", "aria-label": "Roofline" },
            el("img", { class: "roofline", src: `/api/v1/profiles/${row.id}/roofline`, width: 1000, height: 600,
                        alt: "Roofline: the points of the table below under the ceilings of the device" })),
        table("Points of the roofline", [
            { title: "bytes", is_head: true, cell: (point) => (point.is_counted ? "counted" : "of the operator") },
            { title: "FLOP/byte", class: "r", cell: (point) => number(point.flop_per_byte) },
            { title: "GFLOP/s", class: "r", cell: (point) => number(point.gflop_per_s) },
            { title: "lowest roof", cell: (point) => name(point.roof ?? "-") },
            { title: "of it", class: "r", cell: (point) => (Number.isFinite(point.efficiency_pct) ? `${number(point.efficiency_pct)} %` : "-") },
        ], roofline.points));
}

function figures_part(profile) {
    return section("What was counted", table("Figures of the profile", [
        { title: "figure", is_head: true, cell: ([key]) => el("code", {}, key) },
        { title: "value", class: "r", cell: ([, value]) => (typeof value === "number" ? String(Number(value.toPrecision(5))) : name(value)) },
    ], Object.entries(profile)));
}

export async function show(place, query) {
    const id = encodeURIComponent(query.get("id") ?? "");
    if (!id) throw new Error("The address names no profile. A run and the history of a problem list theirs.");
    const [row, document_] = await Promise.all([ask(`profiles/${id}`), ask(`profiles/${id}/document`)]);
    const launch = document_.launches[0];
    document.title = plain(`Profile of ${row.problem} - assay`);
    place.replaceChildren(...[head_part(row, launch.diagnosis), hypotheses_part(launch.diagnosis),
        roofline_part(row, document_.roofline), figures_part(launch.profile)].filter(Boolean));
}
