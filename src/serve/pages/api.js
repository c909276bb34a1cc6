// SPDX-License-Identifier: Apache-2.0
//
// Asks the server's API. What goes wrong is an Error whose message is a sentence for the reader.

export function address(path, parameters = {}) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters))
        if (value !== null && value !== undefined && value !== "") query.set(key, value);
    const text = query.toString();
    return text ? `${path}?${text}` : path;
}

export async function ask(path, parameters) {
    const reply = await fetch(address(`/api/v1/${path}`, parameters)).catch(() => {
        throw new Error("The server does not answer. Is `assay serve` still running?");
    });
    const answer = await reply.json().catch(() => null);
    if (reply.ok && answer !== null) return answer;
    throw new Error(answer?.error ?? `The server answers ${reply.status} and no JSON.`);
}

export const run_path = (id) => address("/run", { id });
export const compare_path = (a, b) => address("/compare", { a, b });
export const history_limits = ["100", "300", "1000"]; // of the newest runs that a history can show
export const history_path = (row) => address("/history", {
    problem: row.problem, side: row.side, suite: row.suite, device: row.device_uuid ?? row.device,
    metric: row.metric ?? row.last?.metric, limit: row.limit, at: row.at });
