// SPDX-License-Identifier: Apache-2.0
//
// Runs that are going on, asked for again and again while somebody looks. Rows are kept and changed in place, so that neither focus
// nor a screen reader is disturbed; only a begin and an end are said.
import { ask } from "/assets/api.js";
import { el, name } from "/assets/dom.js";
import { count_text, date_text, left_text } from "/assets/figures.js";

const busy_ms = 1000, quiet_ms = 4000; // between two questions

class LiveRun {
    constructor(run) {
        this.bar = el("progress", { "aria-label": `Progress of ${run.run_id}` });
        this.figures = el("p", { class: "dim facts" });
        this.element = el("li", {}, el("h2", {}, name(run.run_id)), this.bar, this.figures,
            run.command && el("p", {}, el("code", {}, run.command)));
        this.update(run);
    }

    update(run) {
        const is_known = run.total > 0;
        this.bar.max = is_known ? run.total : 1;
        if (is_known) this.bar.value = run.done;
        else this.bar.removeAttribute("value");
        const left = Number.isFinite(run.left_s) ? `${left_text(run.left_s)} left` : "time left not known yet";
        const parts = [is_known && `${Math.floor(100 * run.done / run.total)} %`, left,
                       run.rounds > 0 && `round ${run.round} of ${run.rounds}`, run.problem, `since ${date_text(run.started_utc)} UTC`];
        this.figures.replaceChildren(...parts.filter(Boolean).map((part) => name(part)));
    }
}

class Live {
    constructor(place) {
        this.runs = new Map();
        this.status = el("p", { class: "lead", role: "status" });
        this.list = el("ul", { class: "live" });
        place.replaceChildren(el("section", {}, el("h1", {}, "Live"), this.status, this.list));
    }

    say(sentence) {
        if (this.status.textContent !== sentence) this.status.textContent = sentence;
    }

    update(runs) {
        const ids = new Set(runs.map((run) => run.run_id));
        for (const [id, row] of this.runs)
            if (!ids.has(id)) {
                row.element.remove();
                this.runs.delete(id);
            }
        for (const run of runs) {
            const row = this.runs.get(run.run_id);
            if (row) row.update(run);
            else this.add(run);
        }
        this.say(runs.length ? `${count_text(runs.length, "run")} going on` : "Nothing runs. A run shows here as soon as it begins.");
    }

    add(run) {
        const row = new LiveRun(run);
        this.runs.set(run.run_id, row);
        this.list.append(row.element);
    }

    async poll() {
        if (!document.hidden)
            try {
                this.update((await ask("live")).runs);
            } catch (error) {
                this.update([]);
                this.say(error.message);
            }
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.poll(), this.runs.size ? busy_ms : quiet_ms);
    }
}

export async function show(place) {
    document.title = "Live - assay";
    const live = new Live(place);
    await live.poll();
    document.addEventListener("visibilitychange", () => { if (!document.hidden) live.poll(); });
}
