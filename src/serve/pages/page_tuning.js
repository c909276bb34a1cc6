// SPDX-License-Identifier: Apache-2.0
//
// One tuning: its elite, what is best for each problem, and its log: every variant that was tried. Without one in the address: the
// list of tunings, with the elite of each.
import { address, ask } from "/assets/api.js";
import { commit_text, count_text, date_text } from "/assets/figures.js";
import { el, facts, name, pager, pill, plain, section, table } from "/assets/dom.js";

const list_size = 50;
const is_known = (value) => typeof value === "number" && Number.isFinite(value);
const speedup_text = (value) => (is_known(value) ? `${value.toFixed(3)}x` : "-");
const claim_text = ({ speedup, speedup_low: low, speedup_high: high }) =>
    is_known(speedup) ? `${speedup_text(speedup)} (${low.toFixed(3)} to ${high.toFixed(3)})` : "-";
export const tuning_path = (id) => address("/tuning", { id });

// What the ranks and fates of a tuning's document are called, and their tones.
const words = {
    elite: ["good", "elite"], small_gain: ["neutral", "gains under 3 %"], unproven: ["unsure", "its gain is not proved"],
    slower: ["bad", "slower on two problems or more"], alive: ["held", "alive"], dropped: ["neutral", "dropped"],
    no_data: ["unsure", "no measurement that counts"], not_built: ["bad", "not built"], wrong_result: ["bad", "wrong result"],
    too_slow: ["bad", "over its time limit"], partial: ["neutral", "does not take all problems"],
};
function fate_cell(fate, reason) {
    const [tone, text] = words[fate] ?? ["neutral", fate ?? "-"];
    return [pill(tone, text), reason && el("span", { class: "side" }, ` ${reason}`)];
}
const settings = (config) => el("code", {}, config ?? "as it is");

// ---- one ----

function head_part(row, tuning) {
    return el("section", {}, el("h1", {}, "Tuning of ", name(row.kernel)),
        el("p", { class: "lead" }, row.sentence ?? "Not finished."),
        tuning.prediction && el("p", {}, `Predicted: ${tuning.prediction}`),
        facts([
            ["run", name(row.run_id)], ["measured (UTC)", date_text(row.created_utc)], ["device", row.device && name(row.device)],
            ["suite", row.suite && name(row.suite)], ["search", row.strategy && name(row.strategy)],
            ["commit", row.commit && el("code", {}, commit_text(row.commit))], ["branch", row.branch && name(row.branch)],
            ["points of the space", tuning.point_count],
        ]),
        tuning.command_line && el("ul", { class: "commands" }, el("li", {}, el("code", {}, tuning.command_line))),
        el("p", { class: "links" }, el("a", { href: `/api/v1/tunings/${row.id}/log` }, "The log as Markdown"),
            el("a", { href: `/api/v1/tunings/${row.id}/document` }, "The tuning as JSON")));
}

function elite_part({ finalists, final_rounds: rounds }) {
    if (!finalists.length) return section("Elite", el("p", {}, "No variant was faster than the baseline in the race."));
    return section("Elite",
        el("p", { class: "dim" }, `Measured again in fresh processes: ${rounds} rounds decided, as many others are what is claimed.`),
        table("Finalists, the fastest of the race first", [
            { title: "settings", is_head: true, cell: (row) => settings(row.config) },
            { title: "speed-up (95 %)", class: "r", cell: claim_text },
            { title: "slower on", class: "r", cell: (row) => count_text(row.slower_count ?? 0, "problem") },
            { title: "outcome", cell: (row) => fate_cell(row.rank, row.reason) },
        ], finalists));
}

function choices_part({ choices }) {
    if (!choices.length) return null;
    return section("Best for each problem", table("Settings by problem", [
        { title: "problem", is_head: true, cell: (row) => name(row.problem) },
        { title: "settings", cell: (row) => settings(row.config) },
        { title: "speed-up", class: "r", cell: (row) => speedup_text(row.speedup) },
    ], choices));
}

function variants_part({ variants, heat_count: heats }) {
    if (!variants.length) return null;
    return section("Log", el("p", { class: "dim" }, `${count_text(variants.length, "variant")} in ${count_text(heats, "heat")}. `,
            "Speed-ups are those of the race: the best of many is too good."),
        table("Variants in the order of their trial", [
            { title: "settings", is_head: true, cell: (row) => settings(row.config) },
            { title: "heat", class: "r", cell: (row) => row.heat ?? "-" },
            { title: "rounds", class: "r", cell: (row) => row.round_count ?? "-" },
            { title: "speed-up", class: "r", cell: (row) => speedup_text(row.speedup) },
            { title: "outcome", cell: (row) => fate_cell(row.fate, row.reason) },
        ], variants));
}

async function show_tuning(place, id) {
    const at = encodeURIComponent(id);
    const [row, tuning] = await Promise.all([ask(`tunings/${at}`), ask(`tunings/${at}/document`)]);
    document.title = plain(`Tuning of ${row.kernel} - assay`);
    place.replaceChildren(...[head_part(row, tuning), elite_part(tuning), choices_part(tuning), variants_part(tuning)].filter(Boolean));
}

// ---- the list ----

function list_part({ total, tunings }, offset) {
    const go = (to) => location.assign(address("/tuning", { offset: to || null }));
    return el("section", {}, el("h1", {}, "Tunings"), el("p", { class: "dim" }, `${count_text(total, "tuning")}, newest first`),
        tunings.length ? table("Tunings, newest first", [
            { title: "kernel", is_head: true, cell: (row) => el("a", { class: "name", href: tuning_path(row.id) }, row.kernel) },
            { title: "elite", class: "wrap", cell: (row) => (row.config ? settings(row.config) : "none") },
            { title: "speed-up (95 %)", class: "r", cell: claim_text },
            { title: "variants", class: "r", cell: (row) => row.variant_count },
            { title: "suite", class: "wrap", cell: (row) => name(row.suite ?? "-") },
            { title: "device", class: "device", cell: (row) => name(row.device ?? "-") },
            { title: "commit", cell: (row) => el("code", {}, commit_text(row.commit)), is_known: (row) => row.commit },
            { title: "measured (UTC)", cell: (row) => date_text(row.created_utc) },
        ], tunings) : el("p", { class: "lead" }, "No tuning is kept in this store yet."),
        pager({ offset, size: list_size, total, go }));
}

async function show_list(place, query) {
    document.title = "Tunings - assay";
    const offset = Math.max(0, Math.floor(Number(query.get("offset")) || 0));
    place.replaceChildren(list_part(await ask("tunings", { limit: list_size, offset }), offset));
}

export async function show(place, query) {
    const id = query.get("id");
    await (id ? show_tuning(place, id) : show_list(place, query));
}
