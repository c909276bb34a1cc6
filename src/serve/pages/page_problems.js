// SPDX-License-Identifier: Apache-2.0
//
// All problems: trend, newest median, change and verdict. Filters are the server's. The server's order is shown page by page; another
// order needs all rows, which are then read once and sorted here. Everything chosen stands in the address.
import { address, ask, ask_all, history_path, run_path } from "/assets/api.js";
import { sparkline } from "/assets/chart.js";
import { choice, el, name, pager, unseen } from "/assets/dom.js";
import { change_text, commit_text, count_text, date_text, measured, metric_choices, verdict_choices, verdict_pill,
         verdict_rank, verdict_tone } from "/assets/figures.js";

const page_size = 100;
const filter_keys = ["q", "branch", "device", "suite", "side", "verdict", "metric"];
const quiet_ms = 250; // after the last key of a text

const columns = [
    { key: "problem", title: "problem", value: (row) => row.problem },
    { key: "trend", title: "trend", class: "plot" },
    { key: "median", title: "last median", class: "r", value: (row) => row.last.median_ns },
    { key: "change", title: "change", class: "r change", value: (row) => row.last.change_pct },
    { key: "verdict", title: "verdict", class: "verdicts", value: (row) => verdict_rank(row.last.verdict) },
    { key: "run", title: "last run", class: "wide", value: (row) => row.last.created_utc },
];

// Ascending; what is not known is last in either order.
function compare_values(a, b, factor) {
    const has_a = a !== null && a !== undefined, has_b = b !== null && b !== undefined;
    if (!has_a || !has_b) return Number(has_b) - Number(has_a);
    return factor * (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
}

function row_of(row) {
    const { last } = row, changes = row.change_count;
    return el("tr", {},
        el("th", { scope: "row" }, el("div", { class: "who" }, el("a", { class: "name", href: history_path(row) }, row.problem),
            el("span", { class: "side" }, name(row.side)), el("span", { class: "narrow" }, verdict_pill(last.verdict)))),
        el("td", { class: "plot" }, sparkline(row.trend, verdict_tone(last.verdict), changes, last.metric),
            changes > 0 && el("span", { class: "interval", "aria-hidden": "true" }, count_text(changes, "change"))),
        el("td", { class: "r" }, measured(last.median_ns, last.low_ns, last.high_ns, last.metric)),
        el("td", { class: "r change" }, change_text(last.change_pct)),
        el("td", { class: "verdicts" }, verdict_pill(last.verdict)),
        el("td", { class: "wide" }, el("a", { href: run_path(last.run_id) },
            last.commit ? el("code", {}, commit_text(last.commit)) : ["run", unseen(` ${last.run_id}`)]),
            el("span", { class: "interval" }, [name(last.branch ?? ""), " ", date_text(last.created_utc).slice(0, 10)])));
}

class Overview {
    constructor(place, query, facets) {
        this.facets = facets;
        this.state = Object.fromEntries([...filter_keys, "sort", "order"].map((key) => [key, query.get(key) ?? ""]));
        this.offset = Math.max(0, Math.floor(Number(query.get("offset")) || 0));
        this.sorted = null; // all rows in the chosen order, once they were needed
        this.turn = 0;      // an answer that is not of the last question is dropped
        this.status = el("p", { class: "dim", role: "status" });
        this.result = el("div", {});
        place.replaceChildren(el("section", {}, el("h1", {}, "Problems"), this.tools(), this.status, this.result));
    }

    tools() {
        const listed = (values) => [["", "all"], ...values];
        const plain = (values) => values.map((value) => [value, value]);
        const pick = (key) => (value) => this.filter(key, value);
        const text = (key, label) => el("label", {}, el("span", {}, label), el("input", { type: "search", value: this.state[key],
            id: `filter-${key}`, input: (event) => this.filter_soon(key, event.target.value) }));
        return el("div", { class: "tools", role: "search", "aria-label": "Filters" },
            text("q", "Problem"), text("side", "Side"),
            choice("Verdict", listed(verdict_choices), this.state.verdict, pick("verdict")),
            choice("Branch", listed(plain(this.facets.branches)), this.state.branch, pick("branch")),
            choice("Device", listed(this.facets.devices.map((device) => [device.uuid ?? device.name, device.name ?? device.uuid])),
                this.state.device, pick("device")),
            choice("Suite", listed(plain(this.facets.suites)), this.state.suite, pick("suite")),
            choice("Metric", listed(metric_choices), this.state.metric, pick("metric")));
    }

    filter_soon(key, value) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.filter(key, value), quiet_ms);
    }

    filter(key, value) {
        this.state[key] = value.trim();
        this.sorted = null;
        return this.go(0);
    }

    // A press: down, up, and the third brings the server's order back.
    sort(key) {
        const { sort, order } = this.state;
        if (sort !== key) Object.assign(this.state, { sort: key, order: "descending" });
        else if (order === "descending") this.state.order = "ascending";
        else Object.assign(this.state, { sort: "", order: "" });
        if (this.sorted) this.order_rows();
        return this.go(0).then(() => document.getElementById(`sort-${key}`)?.focus());
    }

    order_rows() {
        const column = columns.find((one) => one.key === this.state.sort);
        const factor = this.state.order === "ascending" ? 1 : -1;
        if (column) this.sorted.sort((a, b) => compare_values(column.value(a), column.value(b), factor));
        else this.sorted = null;
    }

    filters() {
        return Object.fromEntries(filter_keys.map((key) => [key, this.state[key]]));
    }

    async rows() {
        if (!this.state.sort) {
            const answer = await ask("problems", { ...this.filters(), limit: page_size, offset: this.offset });
            return { total: answer.total, problems: answer.problems };
        }
        if (!this.sorted) {
            const rows = await ask_all("problems", "problems", this.filters(),
                (count, total) => { this.status.textContent = `${count} of ${total} read ...`; });
            this.sorted = rows;
            this.order_rows();
        }
        return { total: this.sorted.length, problems: this.sorted.slice(this.offset, this.offset + page_size) };
    }

    async go(offset) {
        const turn = ++this.turn;
        this.offset = offset;
        window.history.replaceState(null, "", address("/", { ...this.state, offset: offset || null }));
        this.result.setAttribute("aria-busy", "true");
        try {
            const rows = await this.rows();
            if (turn === this.turn) this.draw(rows);
        } catch (error) {
            if (turn === this.turn) this.say(error.message);
        }
        this.result.setAttribute("aria-busy", "false");
    }

    say(sentence) {
        this.status.textContent = "";
        this.result.replaceChildren(el("p", { class: "note unsure", role: "alert" }, sentence, " ",
            el("button", { type: "button", class: "act", click: () => this.go(this.offset) }, "Try again")));
    }

    draw({ total, problems }) {
        if (total && !problems.length && this.offset) return void this.go(0); // an address of a longer list
        const is_filtered = filter_keys.some((key) => this.state[key]);
        this.status.textContent = total ? count_text(total, "problem and side", "problems and sides") : "";
        if (total) this.result.replaceChildren(this.table(problems),
            pager({ offset: this.offset, size: page_size, total, go: (to) => this.go(to).then(() => this.to_top()) }) ?? "");
        else if (is_filtered) this.result.replaceChildren(el("p", {}, "No problem fits these filters."));
        else this.result.replaceChildren(...nothing_yet());
    }

    to_top() {
        document.getElementById("main").focus();
        scrollTo(0, 0);
    }

    table(problems) {
        const head = (column) => {
            const is_sorted = column.key === this.state.sort;
            return el("th", { scope: "col", class: column.class, "aria-sort": is_sorted && this.state.order },
                column.value ? el("button", { type: "button", id: `sort-${column.key}`, click: () => this.sort(column.key) }, column.title)
                             : column.title);
        };
        return el("table", { class: "overview problems" }, el("caption", { class: "unseen" }, "Problems with their newest result"),
            el("thead", {}, el("tr", {}, columns.map(head))), el("tbody", {}, problems.map(row_of)));
    }
}

function nothing_yet() {
    return [el("p", { class: "lead" }, "Nothing is kept in this store yet."),
        el("p", {}, "A run that measures is kept by itself; results of other machines come by import."),
        el("ul", { class: "commands" }, ["assay gate", "assay history import runs"].map((line) => el("li", {}, el("code", {}, line))))];
}

export async function show(place, query) {
    document.title = "Problems - assay";
    const overview = new Overview(place, query, await ask("facets"));
    await overview.go(overview.offset);
}
