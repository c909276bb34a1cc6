// SPDX-License-Identifier: Apache-2.0
//
// A list that the server filters, orders and gives page by page: its fields, a sentence on what was found, and the page. Everything
// chosen stands in the address.
import { address } from "/assets/api.js";
import { choice, el, fold, pager } from "/assets/dom.js";

const quiet_ms = 250; // after the last key of a text

// Choices of a field that are names; the device's are pairs.
export const any_of = (names) => [["", "all"], ...names.map((name) => [name, name])];
export const any_device = (devices) =>
    [["", "all"], ...devices.map((device) => [device.uuid ?? device.name, device.name ?? device.uuid])];

export class FilteredList {
    // how: path, title; size of a page; fields: {key, label, options}, a text without options; keys that the address has beside them;
    // ask(parameters): the answer, with its total; say(answer): the sentence; draw(answer, list); nothing(answer, is_filtered).
    constructor(place, query, how) {
        this.how = how;
        this.keys = how.fields.map((field) => field.key);
        this.state = Object.fromEntries([...this.keys, ...how.keys ?? []].map((key) => [key, query.get(key) ?? ""]));
        this.offset = Math.max(0, Math.floor(Number(query.get("offset")) || 0));
        this.turn = 0; // an answer that is not of the last question is dropped
        this.status = el("p", { class: "dim", role: "status" });
        this.result = el("div", {});
        this.filters = fold("Filters", el("div", { class: "tools", role: "search", "aria-label": "Filters" },
            how.fields.map((field) => this.field(field))));
        place.replaceChildren(el("section", {}, el("h1", {}, how.title), this.filters.element, this.status, this.result));
    }

    field({ key, label, options }) {
        if (options) return choice(label, options, this.state[key], (value) => this.filter(key, value));
        return el("label", {}, el("span", {}, label), el("input", { type: "search", value: this.state[key], id: `filter-${key}`,
            input: (event) => this.filter_soon(key, event.target.value) }));
    }

    filter_soon(key, value) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.filter(key, value), quiet_ms);
    }

    filter(key, value) {
        this.state[key] = value.trim();
        return this.go(0);
    }

    used_count() {
        return this.keys.filter((key) => this.state[key]).length;
    }

    async go(offset) {
        const turn = ++this.turn;
        this.offset = offset;
        this.filters.say_used(this.used_count());
        window.history.replaceState(null, "", address(this.how.path, { ...this.state, offset: offset || null }));
        this.result.setAttribute("aria-busy", "true");
        try {
            const answer = await this.how.ask({ ...this.state, limit: this.how.size, offset });
            if (turn === this.turn) this.draw(answer);
        } catch (error) {
            if (turn === this.turn) this.say_error(error.message);
        }
        this.result.setAttribute("aria-busy", "false");
    }

    say_error(sentence) {
        this.status.textContent = "";
        this.result.replaceChildren(el("p", { class: "note unsure", role: "alert" }, sentence, " ",
            el("button", { type: "button", class: "act", click: () => this.go(this.offset) }, "Try again")));
    }

    draw(answer) {
        const { total } = answer, { size } = this.how;
        if (total && this.offset >= total) return void this.go(0); // an address of a longer list
        this.status.textContent = total ? this.how.say(answer) : "";
        if (!total) return void this.result.replaceChildren(...this.how.nothing(answer, this.used_count() > 0));
        this.result.replaceChildren(...this.how.draw(answer, this),
            pager({ offset: this.offset, size, total, go: (to) => this.go(to).then(() => this.to_top()) }) ?? "");
    }

    to_top() {
        document.getElementById("main").focus();
        scrollTo(0, 0);
    }
}

export function nothing_yet() {
    return [el("p", { class: "lead" }, "Nothing is kept in this store yet."),
        el("p", {}, "A run that measures is kept by itself; results of other machines come by import."),
        el("ul", { class: "commands" }, ["assay gate", "assay history import runs"].map((line) => el("li", {}, el("code", {}, line))))];
}
