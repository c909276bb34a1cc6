// SPDX-License-Identifier: Apache-2.0
//
// Candidates that the referee found right, a table for each operator, suite, device and kernel that they were measured against. Who is
// not shown to be slower than another shares its rank.
import { ask } from "/assets/api.js";
import { count_text, date_text } from "/assets/figures.js";
import { el, name, table } from "/assets/dom.js";

const speedup_text = ({ speedup, speedup_low: low, speedup_high: high }) =>
    `${speedup.toFixed(3)}x (${low.toFixed(3)} to ${high.toFixed(3)})`;

function board_part(board) {
    const { candidates } = board;
    const shared = new Set(candidates.map((row) => row.rank).filter((rank, i, all) => all.indexOf(rank) !== i));
    const title = board.operator ?? "-";
    return el("section", {}, el("h2", {}, name(title)),
        el("p", { class: "dim" }, `${count_text(candidates.length, "candidate")} on `, name(board.suite ?? "-"), ", ", name(board.device ?? "-"),
            ", against ", name(board.baseline ?? "-")),
        table(`Candidates of ${title}`, [
            { title: "rank", class: "r", cell: (row) => `${row.rank}${shared.has(row.rank) ? " =" : ""}` },
            { title: "candidate", is_head: true, cell: (row) => el("a", { class: "name", href: `/api/v1/answers/${row.id}/document` }, row.candidate) },
            { title: "speed-up (95 %)", class: "r", cell: speedup_text },
            { title: "rounds", class: "r", cell: (row) => row.round_count },
            { title: "asked (UTC)", cell: (row) => date_text(row.created_utc) },
        ], candidates));
}

export async function show(place) {
    document.title = "Leaderboard - assay";
    const { boards } = await ask("leaderboard");
    place.replaceChildren(
        el("section", {}, el("h1", {}, "Leaderboard"),
            el("p", { class: "dim" }, "A candidate is ahead of another only where the interval of their ratio excludes 1; \"=\" marks a shared rank."),
            boards.length ? null : el("p", { class: "lead" }, "No candidate of assay referee is kept in this store yet.")),
        ...boards.map(board_part));
}
