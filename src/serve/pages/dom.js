// SPDX-License-Identifier: Apache-2.0
//
// Elements of a page. A name is always text, nothing here takes markup, and what is not seen in it (controls, marks of direction)
// is shown as an escape, as base/plain_text.h does for a terminal.

const svg_namespace = "http://www.w3.org/2000/svg";

const unseen_marks = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
export const plain = (text) =>
    String(text).replace(unseen_marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

const shown_attributes = ["aria-label", "title"];

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name, value);
        else element.setAttribute(name, value === true ? "" : shown_attributes.includes(name) ? plain(value) : String(value));
    }
    const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
    element.append(...shown.map((child) => (child instanceof Node ? child : plain(child))));
    return element;
}

// An attribute that is a function listens for the event of its name; one without a value is left out, and so is such a child.
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS(svg_namespace, tag), attributes, children);

export const name = (text) => el("span", { class: "name" }, text ?? "");
export const unseen = (text) => el("span", { class: "unseen" }, text);

const signs = {
    held: "M3 8.5l3.5 3.5L13 4.5",
    good: "M8 3v10M3.5 8.5L8 13l4.5-4.5",
    bad: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
    unsure: "M5 5.5a3 3 0 1 1 4.2 2.8Q8 8.8 8 10M8 13v.1",
    neutral: "M4 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
};
export const sign = (tone) => svg("svg", { class: "i", viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: signs[tone] }));
export const pill = (tone, text) => el("span", { class: `pill ${tone}` }, sign(tone), text);

export function section(title, ...children) {
    return el("section", {}, title && el("h2", {}, title), ...children);
}

export function facts(pairs) {
    const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
    return el("dl", {}, known.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))));
}

// columns: {title, class, cell(row), is_head, is_known(row)}. A column that no row knows is left out. The wrapper scrolls, by the keyboard
// too. On a narrow screen a row is a block whose cells say their titles (dashboard.css); its roles keep it a table for who hears it.
export function table(label, columns, rows) {
    const shown = columns.filter(({ is_known }) => !is_known || rows.some(is_known));
    const head = ({ title, class: of }) => el("th", { scope: "col", role: "columnheader", class: of }, title);
    const cell = (row) => ({ title, class: of, is_head, cell: fill_cell }) => (is_head
        ? el("th", { class: of, scope: "row", role: "rowheader" }, fill_cell(row))
        : el("td", { class: of, role: "cell", "data-title": title }, fill_cell(row)));
    return el("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": label }, el("table", { role: "table" },
        el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, shown.map(head))),
        el("tbody", { role: "rowgroup" }, rows.map((row) => el("tr", { role: "row" }, shown.map(cell(row)))))));
}

// Fields that a narrow screen folds away behind their title and the number of those in use: {element, say_used(count)}.
export function fold(title, ...children) {
    const narrow = matchMedia("(max-width: 520px)");
    const summary = el("summary", {}, title);
    const element = el("details", { class: "fold" }, summary, ...children);
    const set = () => { element.open = !narrow.matches; };
    narrow.addEventListener("change", set);
    set();
    return { element, say_used: (count) => { summary.textContent = count ? `${title}, ${count} in use` : title; } };
}

// A select with a label. options: [value, text].
export function choice(label, options, value, changed) {
    const select = el("select", { change: () => changed(select.value) },
        options.map(([key, text]) => el("option", { value: key }, text)));
    select.value = value ?? "";
    return el("label", {}, el("span", {}, label), select);
}

// The ways through a list of pages; null where there is one page.
export function pager({ offset, size, total, go }) {
    if (total <= size) return null;
    const button = (text, to, is_off) => el("button", { type: "button", disabled: is_off, click: () => go(to) }, text);
    const last = Math.min(offset + size, total);
    return el("div", { class: "pager", role: "group", "aria-label": "Pages of the table" },
        button("First", 0, offset === 0), button("Previous", Math.max(offset - size, 0), offset === 0),
        el("span", {}, `${offset + 1} to ${last} of ${total}`),
        button("Next", offset + size, last >= total),
        button("Last", Math.floor((total - 1) / size) * size, last >= total));
}
