// SPDX-License-Identifier: Apache-2.0
//
// Figures as the reports write them, and what a verdict is called and looks like.
import { el, pill, sign } from "/assets/dom.js";

const is_known = (value) => typeof value === "number" && Number.isFinite(value);
const times = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const instructions = [[1e9, "G instr"], [1e6, "M instr"], [1e3, "k instr"], [1, "instr"]];
const bytes = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]];
// Metrics that are no times. A name is a stranger's: an object's own prototype would answer to some.
const counted = new Map([["instructions", instructions], ["matrix_instructions", instructions], ["dram_bytes", bytes]]);
export const metric_choices = ["time", "call_time", ...counted.keys()].map((metric) => [metric, metric]);
function unit_of(amount, metric) {
    const units = counted.get(metric) ?? times;
    return units.find(([size]) => Math.abs(amount) >= size) ?? units[3];
}

function digits(value) {
    const size = Math.abs(value);
    return value.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

// Of a launch: a time, or what the metric counts.
export function amount_text(amount, metric) {
    if (!is_known(amount)) return "-";
    const [size, unit] = unit_of(amount, metric);
    return `${digits(amount / size)} ${unit}`;
}

// "99.81 to 100.3 us"; the unit is that of the median beside it.
export function interval_text(low, high, metric, median) {
    if (!is_known(low) || !is_known(high)) return "";
    const [size, unit] = unit_of(is_known(median) ? median : high, metric);
    return `${digits(low / size)} to ${digits(high / size)} ${unit}`;
}

export function tick_text(amount, step, metric) {
    const [size, unit] = unit_of(Math.max(Math.abs(amount), step), metric);
    const places = Math.min(Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9)), 6);
    return `${(amount / size).toFixed(places)} ${unit.replace(/ ?instr$/, "")}`.trimEnd(); // what fits beside the axis
}

export function change_text(pct) {
    if (!is_known(pct)) return "-";
    const size = Math.abs(pct) >= 100 ? Math.abs(pct).toFixed(0) : Math.abs(pct).toFixed(1);
    return Number(size) === 0 ? "0.0 %" : `${size} % ${pct > 0 ? "slower" : "faster"}`;
}

// Of a change: "7.6 to 8.5 %", counted in the direction of its words.
export function pct_interval_text(low, high) {
    if (!is_known(low) || !is_known(high)) return "";
    const [from, to] = low + high < 0 ? [-high, -low] : [low, high];
    const digits_of = (value) => value.toFixed(1).replace(/^-(0\.0)$/, "$1");
    return `${digits_of(from)} to ${digits_of(to)} %`;
}

export const p_text = (p) => (!is_known(p) ? "" : p < 0.0001 ? "p < 0.0001" : `p = ${p.toPrecision(2)}`);

// A commit's first characters; what is appended to it ("-dirty") stays.
export function commit_text(commit) {
    if (!commit) return "-";
    const found = /^([0-9a-f]{9})[0-9a-f]*(-.*)?$/.exec(commit);
    return found ? found[1] + (found[2] ?? "") : commit;
}

// What stands for a run: its commit, or its time where it has none.
export const run_text = (commit, utc) => (commit ? commit_text(commit) : date_text(utc));
export const run_mark = (commit, utc) => (commit ? el("code", {}, commit_text(commit)) : el("span", { class: "when" }, date_text(utc)));

export const date_text = (utc) => (utc ? utc.slice(0, 16).replace("T", " ") : "-");

export function left_text(seconds) {
    const s = Math.round(seconds), pad = (value) => String(value).padStart(2, "0");
    if (s < 60) return `${s} s`;
    if (s < 3600) return `${Math.floor(s / 60)}:${pad(s % 60)} min`;
    return `${Math.floor(s / 3600)}:${pad(Math.floor(s / 60) % 60)} h`;
}

export const count_text = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

// Every verdict of a result, the worst first: its tone and its words.
const verdicts = {
    wrong: ["bad", "wrong result"], regression: ["bad", "regression"], compiler_regression: ["bad", "a worse build"],
    invalid: ["unsure", "invalid"], undecidable: ["unsure", "undecidable"], removed: ["unsure", "removed"],
    no_significant_difference: ["held", "no significant difference"], added: ["neutral", "added"],
    maintained: ["held", "maintained"], same_code: ["held", "same machine code"], improvement: ["good", "improvement"],
};
export const verdict_choices = Object.entries(verdicts).map(([key, [, text]]) => [key, text]);
export const verdict_tone = (verdict) => verdicts[verdict]?.[0] ?? "neutral";
export const verdict_text = (verdict) => verdicts[verdict]?.[1] ?? (verdict && verdict !== "none" ? verdict : "measured");
export const verdict_pill = (verdict) => pill(verdict_tone(verdict), verdict_text(verdict));
export const change_tone = (pct) => (pct > 0 ? "bad" : "good");

export function big_verdict(tone, text) {
    return el("div", { class: "big" }, sign(tone), el("h1", {}, text));
}

export function measured(amount, low, high, metric) {
    return [el("span", { class: "figure" }, amount_text(amount, metric)),
        el("span", { class: "interval" }, interval_text(low, high, metric, amount))];
}
