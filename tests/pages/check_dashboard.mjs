// SPDX-License-Identifier: Apache-2.0
//
// Drives the dashboard of a server whose store tests/pages/dashboard.sh has filled, in a real browser:
//   node check_dashboard.mjs MODULES ADDRESS EXPECTED [SCREENSHOTS]
// EXPECTED is a JSON file: {"problem", "side", "commit_before", "commit_after", "change_pct", "names": [...]}.
// MODULES holds playwright-core and axe-core. Prints each fault on a line; exits 1 if there is one.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { readFileSync } from "node:fs";

const [modules, base, expected_file, shots] = process.argv.slice(2);
const require = createRequire(resolve(modules, "index.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const expected = JSON.parse(readFileSync(expected_file, "utf8"));
const faults = [];
const path = (place, parameters) => `${place}?${new URLSearchParams(parameters)}`;
const history = path("/history", { problem: expected.problem, side: expected.side });
const fail_if = (is_wrong, fault) => { if (is_wrong) faults.push(fault); };

// A page that collects what a browser has to say against it. expects_errors: answers that are no success are wanted.
async function open(browser, name, options, expects_errors = false) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.on("console", (message) => {
        const is_wanted = expects_errors && message.text().startsWith("Failed to load resource");
        if (["error", "warning"].includes(message.type()) && !is_wanted) faults.push(`${name}: console: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
    page.on("dialog", (dialog) => {
        faults.push(`${name}: a name ran as a script`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        if (!request.url().startsWith(`${base}/`) && !request.url().startsWith("data:"))
            faults.push(`${name}: asks for ${request.url()}`);
    });
    return page;
}

async function visit(page, place) {
    await page.goto(base + place);
    await page.waitForSelector("main[aria-busy=false]");
    await page.waitForSelector("#main [aria-busy=true]", { state: "detached" });
}

// ---- what every page has to be ----

async function check_axe(page, name) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => axe.run(document, {
        iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    for (const found of result.violations)
        faults.push(`${name}: axe: ${found.id}: ${found.help} (${found.nodes.length}: ${found.nodes[0].html.slice(0, 160)})`);
}

async function check_layout(page, name) {
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    fail_if(excess > 0, `${name}: ${excess} pixels wider than the window`);
    const clipped = await page.evaluate(() => [...document.querySelectorAll("svg.history text")].filter((text) => {
        const box = text.getBoundingClientRect(), around = text.ownerSVGElement.getBoundingClientRect();
        return box.left < around.left - 1 || box.right > around.right + 1 || box.top < around.top - 1;
    }).length);
    fail_if(clipped, `${name}: ${clipped} labels of the chart are clipped`);
    // What is broader than its place can only be scrolled to. A roofline may be.
    const cut = await page.evaluate(() => [...document.querySelectorAll("main .scroll:not(figure), main table, main section, main td, main th")]
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.checkVisibility() && !one.closest(".unseen"))
        .map((one) => `${one.tagName} '${(one.getAttribute("aria-label") ?? one.textContent).slice(0, 40)}'`));
    fail_if(cut.length, `${name}: cut at the right: ${cut.slice(0, 3).join("; ")}`);
    const overlaps = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll("svg.history .label")].map((label) => label.getBoundingClientRect());
        return boxes.filter((box, i) => boxes.some((other, k) => k > i && box.left < other.right && other.left < box.right)).length;
    });
    fail_if(overlaps, `${name}: ${overlaps} labels of the chart overlap`);
}

// Every link, button and field is reached by Tab, in order, and its focus is seen.
async function check_keyboard(page, name) {
    await page.keyboard.press("Tab");
    const first = await page.evaluate(() => document.activeElement.className);
    fail_if(first !== "skip", `${name}: the first key reaches '${first}', not the skip link`);
    const wanted = await page.evaluate(() => [...document.querySelectorAll("a[href], button:enabled, select, input:not([type=radio])")]
        .filter((one) => one.checkVisibility()).slice(0, 60).map((one, i) => { one.dataset.stop = i; return i; }).length);
    const reached = new Set(["0"]);
    for (let i = 0; i < wanted + 20 && reached.size < wanted; ++i) {
        await page.keyboard.press("Tab");
        const seen = await page.evaluate(() => {
            const element = document.activeElement, style = getComputedStyle(element);
            return { stop: element.dataset.stop, tag: element.tagName,
                     has_outline: style.outlineStyle !== "none" || ["BODY", "IFRAME"].includes(element.tagName) };
        });
        if (seen.stop !== undefined) reached.add(seen.stop);
        fail_if(!seen.has_outline, `${name}: focus of a ${seen.tag} is not seen`);
        if (seen.tag === "IFRAME") break; // what follows is the report's own, which check_page.mjs looks at
    }
    const before_frame = await page.evaluate(() => {
        const frame = document.querySelector("iframe");
        return frame && [...document.querySelectorAll("[data-stop]")]
            .filter((one) => one.compareDocumentPosition(frame) & Node.DOCUMENT_POSITION_FOLLOWING).length;
    });
    fail_if(reached.size < (before_frame ?? wanted), `${name}: the keyboard reaches ${reached.size} of ${before_frame ?? wanted} places`);
}

// ---- changes ----

const step_links = (page) => page.locator(".step h2 .between a").allTextContents();

// The server's first page: the planted step, its size, its commits, where; and the way to its history.
async function check_changes(page) {
    await visit(page, "/");
    fail_if(await page.locator("h1").textContent() !== "Changes", "changes: it is not the first page");
    fail_if(await page.locator("nav a[aria-current]").textContent() !== "Changes", "changes: the menu does not mark it");
    const step = page.locator(".step", { hasText: expected.problem });
    const row = step.locator("tbody tr", { hasText: expected.problem });
    const [before, after] = await step.locator("h2 .between a").allTextContents();
    fail_if(!before || !expected.commit_before.startsWith(before) || !expected.commit_after.startsWith(after),
        `changes: between ${before} and ${after}, not ${expected.commit_before} and ${expected.commit_after}`);
    const said = await row.locator("td.size .pill").textContent(), size = Number(/^([\d.]+) % slower$/.exec(said)?.[1]);
    fail_if(!(Math.abs(size - expected.change_pct) < 1), `changes: the size is '${said}', not ${expected.change_pct} % slower`);
    for (const words of ["main-<b>", "branch", "UTC", "slower"])
        fail_if(!(await step.innerText()).includes(words), `changes: a step does not say '${words}'`);
    await page.getByLabel("Direction").selectOption("faster");
    await page.getByText("No change fits these filters.").waitFor();
    await page.getByLabel("Direction").selectOption("slower");
    await page.getByLabel("Problem", { exact: true }).fill(expected.problem);
    await page.waitForURL((url) => url.searchParams.get("q") === expected.problem && url.searchParams.get("direction") === "slower");
    await settled(page);
    fail_if(await page.locator(".step tbody tr").count() !== 1, "changes: the filters find more or less than one");
    await page.reload();
    await settled(page);
    fail_if(await page.getByLabel("Direction").inputValue() !== "slower", "changes: the address does not keep a filter");
    await page.locator(".step tbody th a").click();
    await page.waitForURL(/\/history\?.*at=/);
    await page.waitForSelector("svg.history circle");
    fail_if(await page.locator(".changes li").count() !== 1, "changes: the history shows another number of changes");
    const chosen = await page.locator("main input[name=b]:checked").getAttribute("aria-label");
    fail_if(!chosen.includes(after), `changes: the history compares with '${chosen}', not with ${after}`);
}

// Changes as a store without commits and with names that are markup has them: two steps, the first of which goes on on the next page.
async function check_changes_of_strangers(page) {
    const change = (i, minute) => ({
        problem: `<img src=x onerror=alert(1)>/s${i}`, side: "a\u202egpj", kernel: "<b>k</b>", metric: i % 2 ? "constructor" : "time", suite: null,
        branch: null, device_uuid: null, device: "\"'><script>alert(2)</script>", driver: null, commit_before: null, commit_after: null,
        run_before: `before-${minute}`, run_after: `after-${minute}`, created_before_utc: `2026-01-01T10:${minute}:00Z`,
        created_after_utc: `2026-01-02T10:${minute}:00Z`, median_before_ns: 1e6, median_after_ns: 1.1e6, change_pct: i % 3 ? 10 : -9,
        low_pct: i % 3 ? 9 : -9.5, high_pct: i % 3 ? 11 : -8.5, p_value: 1e-6, result_count: 400, step_count: minute === 20 ? 70 : 2 });
    const changes = [change(1, 40), change(3, 40), ...Array.from({ length: 48 }, (_, i) => change(i, 20))];
    await page.route("**/api/v1/changes?*", (route) =>
        route.fulfill({ json: { changes, total: 72, slower_count: 50, faster_count: 22, side_count: 1000 } }));
    for (const width of [1400, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await visit(page, "/");
        await check_layout(page, `changes of strangers at ${width}`);
        await check_axe(page, `changes of strangers at ${width}`);
    }
    fail_if((await step_links(page)).join() !== "2026-01-01 10:40,2026-01-02 10:40,2026-01-01 10:20,2026-01-02 10:20",
        `changes: runs without commits are ${await step_links(page)}`);
    const said = await page.locator("main").innerText();
    for (const words of ["<img src=x onerror=alert(1)>/s1", "a\\u202egpj", "<b>k</b>", "\"'><script>alert(2)</script>", "1 slower", "1 faster",
                         "72 change points in 1000 problems and sides: 50 slower, 22 faster", "48 of 70 changes", "9.0 % faster", "8.5 to 9.5 %"])
        fail_if(!said.includes(words), `changes: '${words}' is not shown as text`);
    fail_if(await page.locator("main img, main script, main b").count(), "changes: a name became an element");
    const link = new URL(await page.locator(".step tbody th a").first().getAttribute("href"), base);
    fail_if(link.searchParams.get("limit") !== "1000", "changes: the history is too short for the step");
    fail_if(!await page.getByRole("button", { name: "Next", exact: true }).isEnabled(), "changes: there is no next page");
}

// Filters are folded away where they would fill the screen, and open otherwise.
async function check_fold(page) {
    for (const place of ["/", "/problems", history]) {
        await page.setViewportSize({ width: 390, height: 800 });
        await visit(page, place);
        const first = page.locator(".tools select").first();
        fail_if(await first.isVisible(), `fold: the filters of ${place} fill a phone's screen`);
        await page.locator(".fold summary").press("Enter");
        fail_if(!await first.isVisible(), `fold: the filters of ${place} do not open`);
        await page.setViewportSize({ width: 1400, height: 900 });
        await visit(page, place);
        fail_if(!await first.isVisible() || await page.locator(".fold summary").isVisible(), `fold: the filters of ${place} are folded on a desk`);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await visit(page, "/problems?q=n1&verdict=maintained");
    fail_if(await page.locator(".fold summary").textContent() !== "Filters, 2 in use", "fold: not said that filters are in use");
}

// ---- the problems ----

const problems = (page) => page.locator(".problems tbody th a.name").allTextContents();
const settled = (page) => page.waitForSelector("#main [aria-busy=true]", { state: "detached" });

async function check_filters(page) {
    await visit(page, "/problems");
    await page.getByLabel("Problem", { exact: true }).fill(expected.problem);
    await page.waitForURL((url) => url.searchParams.get("q") === expected.problem);
    await settled(page);
    const found = await problems(page);
    fail_if(!found.length || found.some((one) => !one.includes(expected.problem)), `filter: the text finds ${found.join(", ") || "nothing"}`);
    await page.getByLabel("Problem", { exact: true }).fill("no such problem");
    await page.getByText("No problem fits these filters.").waitFor();
    await visit(page, "/problems");
    await page.getByLabel("Verdict").selectOption("regression");
    await page.waitForURL((url) => url.searchParams.get("verdict") === "regression");
    await settled(page);
    const pills = await page.locator(".problems tbody td.verdicts").allTextContents();
    fail_if(!pills.length || pills.some((one) => one !== "regression"), `filter: regressions are ${[...new Set(pills)].join(", ") || "none"}`);
    await page.reload();
    await settled(page);
    fail_if(await page.getByLabel("Verdict").inputValue() !== "regression", "filter: the address does not keep it");
    await visit(page, "/problems");
    await page.locator("label", { hasText: "Changes" }).locator("select").selectOption("1");
    await page.waitForURL((url) => url.searchParams.get("changed") === "1");
    await settled(page);
    const trends = await page.locator(".problems tbody td.plot .interval").allTextContents(), rows = (await problems(page)).length;
    fail_if(!rows || trends.length !== rows || trends.some((one) => !/slower|faster/.test(one)),
        `filter: problems with changes are ${rows}, of which ${trends.length} say theirs`);
}

// Numbers in names count as numbers: n112 before n1024, on all pages.
async function check_order(page) {
    const numbers = [];
    for (const offset of [0, 100]) {
        await visit(page, path("/problems", { q: "scale/fp32/", offset }));
        numbers.push(...(await problems(page)).map((one) => Number(/\/n(\d+)$/.exec(one)[1])));
    }
    fail_if(numbers.length < 120 || numbers.some((one, i) => i && one < numbers[i - 1]), `order: it is no natural one: ${numbers.slice(0, 5)} ...`);
    await visit(page, "/problems");
    await page.locator("#sort-trend").press("Enter");
    await page.waitForURL((url) => url.searchParams.get("sort") === "trend");
    await settled(page);
    const first = await page.locator(".problems tbody tr").first().innerText();
    fail_if(!/% slower/.test(first), `order: by trend the first is '${first}'`);
}

async function check_sorting(page) {
    await visit(page, "/problems");
    const before = await problems(page);
    const press = async (order) => {
        await page.locator("#sort-median").press("Enter");
        await page.waitForURL((url) => (url.searchParams.get("order") ?? "") === order);
        await settled(page);
        return (await page.locator(".problems tbody td:nth-child(3) .figure").allTextContents()).map(in_ns);
    };
    const down = await press("descending");
    fail_if(down.some((ns, i) => i && ns > down[i - 1] * 1.001), "sorting: descending is not");
    fail_if(await page.locator(".problems th[aria-sort=descending]").count() !== 1, "sorting: no sorted column is named");
    const up = await press("ascending");
    fail_if(up.some((ns, i) => i && ns < up[i - 1] * 0.999), "sorting: ascending is not");
    fail_if(up[0] > down.at(-1) * 1.001, "sorting: is of one page, not of all problems");
    await press("");
    fail_if((await problems(page)).join() !== before.join(), "sorting: the third press does not bring the first order back");
}

function in_ns(text) {
    const [value, unit] = text.split(" ");
    return Number(value) * { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[unit];
}

async function check_paging(page) {
    await visit(page, "/problems");
    const first = await problems(page);
    fail_if(first.length !== 100, `paging: a page has ${first.length} problems`);
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("offset") === "100");
    await settled(page);
    fail_if((await problems(page)).join() === first.join(), "paging: the next page is the same");
    await page.getByRole("button", { name: "Last", exact: true }).click();
    await page.waitForURL((url) => Number(url.searchParams.get("offset")) > 100);
    await settled(page);
    fail_if(await page.getByRole("button", { name: "Next", exact: true }).isEnabled(), "paging: there is a page after the last");
}

// Names that are markup stand there as text; what is not seen in them is an escape.
async function check_names(page) {
    const seen = [];
    for (const place of ["/", "/problems", "/run"]) {
        await visit(page, place);
        seen.push(await page.locator("body").innerText(), ...await page.locator("option").allTextContents());
        fail_if(await page.locator("main img, main script").count(), `names: one became an element of ${place}`);
    }
    for (const name of expected.names) fail_if(!seen.some((text) => text.includes(name)), `names: '${name}' is not shown as text`);
}

// ---- history, comparison, run ----

async function check_change_point(page) {
    await visit(page, "/problems");
    await page.getByLabel("Problem", { exact: true }).fill(expected.problem);
    await page.waitForURL((url) => url.searchParams.get("q") === expected.problem);
    await settled(page);
    await page.locator(".problems tbody tr", { hasText: expected.side }).locator("th a.name").first().click();
    await page.waitForSelector("svg.history circle");
    const changes = await page.locator(".changes li").allTextContents();
    fail_if(changes.length !== 1, `history: ${changes.length} change points: ${changes.join("; ")}`);
    const said = changes[0] ?? "", size = Number(/^([\d.]+) % slower/.exec(said)?.[1]);
    const links = await page.locator(".changes li code").allTextContents();
    fail_if(!expected.commit_before.startsWith(links[0]) || !expected.commit_after.startsWith(links[1]),
        `history: the change is between ${links.join(" and ")}, not ${expected.commit_before} and ${expected.commit_after}`);
    fail_if(!(Math.abs(size - expected.change_pct) < 1), `history: the change is '${said}', not ${expected.change_pct} %`);
    fail_if(await page.locator("svg.history .mark").count() !== 1, "history: the chart does not mark the change");
    const label = await page.locator("svg.history").getAttribute("aria-label");
    fail_if(!label.includes(said.split(" between")[0]) || !label.includes(links[1] ?? "-"), `history: the chart's text alternative is '${label}'`);
    const points = await page.locator("svg.history .dot > circle").count(), rows = await page.locator("main tbody tr").count();
    fail_if(points !== rows, `history: ${points} points, but ${rows} rows as their text alternative`);
}

// By the keyboard alone: two runs are chosen, and their comparison opens.
async function check_compare(page) {
    await visit(page, history);
    const rows = page.locator("main tbody tr");
    const last = await rows.count() - 1;
    await rows.nth(last).locator("input[name=a]").focus();
    await page.keyboard.press("Space");
    await rows.nth(0).locator("input[name=b]").focus();
    await page.keyboard.press("Space");
    await page.locator("#compare").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/compare\?/);
    await page.waitForSelector("main[aria-busy=false]");
    const verdict = await page.locator(".big h1").textContent();
    fail_if(verdict !== "regression", `compare: the verdict is '${verdict}'`);
    fail_if(!(await page.locator("main table tbody tr").count()), "compare: no problems are listed");
    await check_report(page, "compare");
}

async function check_run(page) {
    await visit(page, "/run");
    await page.locator("main tbody th a").first().click();
    await page.waitForURL(/\/run\?id=/);
    await page.waitForSelector("main[aria-busy=false]");
    fail_if(!(await page.locator("main table tbody tr").count()), "run: no results are listed");
    await check_report(page, "run");
}

// From a run and from a problem's history to the profile, and back; its drawing is shown.
async function check_profile(page) {
    await visit(page, path("/run", { id: profile.run_id }));
    await page.locator("section", { hasText: "Profiles" }).locator("tbody th a").click();
    await page.waitForURL(/\/profile\?id=/);
    await page.waitForSelector("main[aria-busy=false]");
    const heading = await page.locator("main h1").textContent();
    fail_if(heading !== profile.bottleneck.replaceAll("_", " "), `profile: its heading is '${heading}'`);
    const said = await page.locator("main").innerText();
    for (const words of [profile.because, profile.side, "sm_pct", "counted", "of the operator"])
        fail_if(!said.includes(words), `profile: '${words}' is not shown as text`);
    const width = await page.locator("img.roofline").evaluate((image) => image.decode().then(() => image.naturalWidth, () => 0));
    fail_if(!width, "profile: its roofline is not drawn");
    await page.locator("main dl a", { hasText: profile.problem }).click();
    await page.waitForURL(/\/history\?/);
    await page.waitForSelector("main[aria-busy=false]");
    fail_if(await page.locator("section", { hasText: "Profiles" }).locator("tbody tr").count() !== 1, "history: it lists no profile");
}

// From the list to a tuning: its elite and its log; the planted wrong variant has no time.
async function check_tuning(page) {
    await visit(page, "/tuning");
    await page.locator("main tbody th a").first().click();
    await page.waitForURL(/\/tuning\?id=/);
    await page.waitForSelector("main[aria-busy=false]");
    const elite = page.locator("section", { hasText: "Measured again" }).locator("tbody tr").first();
    fail_if(!(await elite.innerText()).includes(tuning.config), "tuning: the elite's first is another");
    const log = page.locator("section", { hasText: "Speed-ups are those of the race" }).locator("tbody tr");
    fail_if(await log.count() !== tuning.variant_count, `tuning: its log has ${await log.count()} variants, not ${tuning.variant_count}`);
    const [text] = await Promise.all([page.waitForResponse(/\/log$/), page.getByText("The log as Markdown").click()]);
    fail_if(!(await text.text()).startsWith("# Tuning tuned"), "tuning: its log is no Markdown");
}

// Candidates as the API ranks them: two share a rank, and names are text.
async function check_leaderboard(page) {
    const row = (id, rank, candidate, speedup) => ({ id, rank, candidate, speedup, speedup_low: speedup * 0.98, speedup_high: speedup * 1.02,
                                                     round_count: 3, created_utc: "2026-01-01T00:00:00Z", verdict: "right" });
    const boards = [{ operator: "rmsnorm", suite: "pr", device: "a device", baseline: "mine",
                      candidates: [row(3, 1, "<b>third</b>", 1.5), row(1, 1, "first.c", 1.49), row(2, 3, "second.c", 1.1)] }];
    await page.route("**/api/v1/leaderboard", (route) => route.fulfill({ json: { boards } }));
    await visit(page, "/leaderboard");
    const rows = await page.locator("main tbody tr").allInnerTexts();
    fail_if(rows.length !== 3 || !rows[0].includes("1 =") || !rows[0].includes("<b>third</b>") || !rows[0].includes("1.500x (1.470 to 1.530)"),
            `leaderboard: its rows are '${rows}'`);
    fail_if(!rows[2].includes("3") || rows[2].includes("="), `leaderboard: the last row is '${rows[2]}'`);
    await check_axe(page, "leaderboard");
}

async function check_report(page, name) {
    await page.locator("iframe").scrollIntoViewIfNeeded();
    await page.frameLocator("iframe").locator("main h2").first().waitFor({ timeout: 10000 })
        .catch(() => faults.push(`${name}: its report is not shown`));
}

async function check_errors(page) {
    for (const [place, words] of [[path("/run", { id: "no-such-run" }), "no-such-run"], ["/history", "names no problem"]]) {
        await visit(page, place);
        const said = await page.locator("main").innerText();
        fail_if(!said.includes(words), `errors: ${place} says '${said}'`);
    }
    await visit(page, "/problems");
    await page.route("**/api/**", (route) => route.abort());
    await page.getByLabel("Verdict").selectOption("improvement");
    await page.getByText("The server does not answer").waitFor({ timeout: 5000 })
        .catch(() => faults.push("errors: nothing is said of a server that is gone"));
    await page.unroute("**/api/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator("main [role=alert]").waitFor({ state: "detached", timeout: 5000 })
        .catch(() => faults.push("errors: trying again does not help"));
}

// A store without a run, as the API answers it.
async function check_empty(page) {
    const empty = { facets: { branches: [], devices: [], suites: [] }, problems: { total: 0, problems: [] },
                    changes: { total: 0, changes: [], slower_count: 0, faster_count: 0, side_count: 0 }, runs: { total: 0, runs: [] },
                    baselines: { baselines: [] }, live: { runs: [] }, tunings: { total: 0, tunings: [] },
                    leaderboard: { boards: [] } };
    await page.route("**/api/v1/*", (route) =>
        route.fulfill({ json: empty[new URL(route.request().url()).pathname.split("/").at(-1)] }));
    for (const [place, words] of [["/", "Nothing is kept"], ["/problems", "Nothing is kept"], ["/run", "No run is kept"], ["/compare", "takes two runs"], ["/live", "Nothing runs"],
                                 ["/tuning", "No tuning is kept"], ["/leaderboard", "No candidate"]]) {
        await visit(page, place);
        fail_if(!(await page.locator("main").innerText()).includes(words), `empty store: ${place} does not say '${words}'`);
        await check_axe(page, `empty store ${place}`);
    }
    empty.changes.side_count = 7;
    await visit(page, "/");
    fail_if(!(await page.locator("main").innerText()).includes("Nothing changed in 7 problems and sides."), "a store without changes does not say so");
}

// A run that goes on and ends, as the API tells of it.
async function check_live(page) {
    let runs = [{ run_id: "<b>run</b>", command: "assay gate", started_utc: "2026-01-01T00:00:00Z", round: 3, rounds: 10, problem: "p",
                  done: 30, total: 100, left_s: 70 }];
    await page.route("**/api/v1/live", (route) => route.fulfill({ json: { runs } }));
    await visit(page, "/live");
    const said = await page.locator("main").innerText();
    for (const words of ["<b>run</b>", "30 %", "1:10 min left", "round 3 of 10"])
        fail_if(!said.includes(words), `live: '${words}' is not in '${said}'`);
    await check_axe(page, "live");
    runs = [];
    await page.getByText("Nothing runs").waitFor({ timeout: 5000 }).catch(() => faults.push("live: the end of a run is not seen"));
    fail_if(await page.locator(".live li").count(), "live: a run that ended stays");
}

// ---- all of it ----

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const newest = (await (await fetch(`${base}/api/v1/runs?limit=1`)).json()).runs[0].run_id;
const changed = (await (await fetch(base + path("/api/v1/history", { problem: expected.problem, side: expected.side }))).json()).change_points[0];
const profile = (await (await fetch(`${base}/api/v1/profiles`)).json()).profiles[0];
const tuning = (await (await fetch(`${base}/api/v1/tunings`)).json()).tunings[0];
const places = { changes: "/", problems: "/problems", history, runs: "/run", run: path("/run", { id: newest }), live: "/live",
                 compare: changed ? path("/compare", { a: changed.run_before, b: changed.run_after }) : "/compare", choose: "/compare",
                 profile: path("/profile", { id: profile.id }), "run-profiled": path("/run", { id: profile.run_id }), tunings: "/tuning",
                 tuning: path("/tuning", { id: tuning.id }), leaderboard: "/leaderboard" };
for (const [name, width, height, colorScheme] of [["phone", 390, 800, "light"], ["phone-dark", 390, 800, "dark"],
                                                  ["desk", 1400, 900, "light"], ["desk-dark", 1400, 900, "dark"]])
    for (const [key, place] of Object.entries(places)) {
        const page = await open(browser, `${name} ${key}`, { viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
        await visit(page, place);
        if (shots) await page.screenshot({ path: `${shots}/${key}-${name}.png` });
        await check_layout(page, `${name} ${key}`);
        await check_axe(page, `${name} ${key}`);
        if (colorScheme === "light") await check_keyboard(page, `${name} ${key}`);
        await page.context().close();
    }
for (const check of [check_changes, check_changes_of_strangers, check_fold, check_filters, check_order, check_sorting, check_paging, check_names,
                     check_change_point, check_compare, check_run, check_profile, check_tuning, check_leaderboard, check_errors, check_empty, check_live]) {
    const page = await open(browser, check.name, {}, check === check_errors);
    page.setDefaultTimeout(15000);
    await check(page).catch((error) => faults.push(`${check.name}: ${error.message.split("\n")[0]}`));
    await page.context().close();
}
await browser.close();
for (const fault of [...new Set(faults)]) console.log(fault);
process.exit(faults.length ? 1 : 0);
