// SPDX-License-Identifier: Apache-2.0
//
// Looks at one HTML report in a real browser, at the width of a phone and of a desk, in light and dark:
//   node check_page.mjs MODULES PAGE [SCREENSHOTS]
// MODULES holds playwright-core and axe-core. Prints each fault on a line; exits 1 if there is one.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { readFileSync } from "node:fs";

const [modules, page_file, shots] = process.argv.slice(2);
const require = createRequire(resolve(modules, "index.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(resolve(page_file)).href;
const faults = [];

// Opens the page and collects what a browser has to say against it.
async function open(browser, name, options) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) faults.push(`${name}: console: ${message.text()}`);
    });
    page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
    page.on("dialog", (dialog) => {
        faults.push(`${name}: a name ran as a script`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        if (request.url() !== address && !request.url().startsWith("data:"))
            faults.push(`${name}: asks for ${request.url()}`);
    });
    await page.goto(address);
    return page;
}

async function check_axe(page, name) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
    for (const found of result.violations)
        faults.push(`${name}: axe: ${found.id}: ${found.help} (${found.nodes.length}: ${found.nodes[0].html.slice(0, 160)})`);
}

async function check_layout(page, name) {
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (excess > 0) faults.push(`${name}: ${excess} pixels wider than the window`);
    const empty = await page.evaluate(() => [...document.querySelectorAll("svg.area, svg.forest")]
        .filter((svg) => svg.checkVisibility() && (svg.getBoundingClientRect().width < 20 || !svg.querySelector("path, line"))).length);
    if (empty) faults.push(`${name}: ${empty} charts are not drawn`);
}

// The first key reaches the skip link, the next ones what can be used; each has a visible focus.
async function check_keyboard(page, name) {
    await page.keyboard.press("Tab");
    const first = await page.evaluate(() => document.activeElement.className);
    if (first !== "skip") faults.push(`${name}: the first key reaches '${first}', not the skip link`);
    const reached = new Set();
    for (let i = 0; i < 40; ++i) {
        await page.keyboard.press("Tab");
        const seen = await page.evaluate(() => {
            const element = document.activeElement, style = getComputedStyle(element);
            return { tag: element.tagName, has_outline: style.outlineStyle !== "none" || element === document.body };
        });
        reached.add(seen.tag);
        if (!seen.has_outline) faults.push(`${name}: focus of a ${seen.tag} is not seen`);
    }
    const is_short = (await page.locator("#overview a.name").count()) < 12;
    if (is_short && !reached.has("SUMMARY")) faults.push(`${name}: the keyboard does not reach a problem`);
}

async function check_script(page, name) {
    const rows = page.locator("#overview tbody tr");
    const count = await rows.count();
    if (count < 2) return;
    const before = await page.locator("#overview tbody th").allTextContents();
    await page.locator("#overview thead button").first().click();
    const after = await page.locator("#overview tbody th").allTextContents();
    if (await page.locator("#overview thead [aria-sort]").count() !== 1) faults.push(`${name}: no sorted column is named`);
    if ([...before].sort().join() !== [...after].sort().join()) faults.push(`${name}: sorting loses rows`);
    await page.fill("#find", "no such problem");
    if (await rows.locator("visible=true").count()) faults.push(`${name}: the filter hides nothing`);
    await page.fill("#find", "");
    if (await rows.locator("visible=true").count() !== count) faults.push(`${name}: the filter does not end`);
    const link = page.locator("#overview a.name").last();
    const target = (await link.getAttribute("href")).slice(1);
    await link.click();
    if (!(await page.evaluate((id) => document.getElementById(id).open, target)))
        faults.push(`${name}: a link does not open its problem`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [name, width, height, colorScheme] of [["phone", 360, 760, "light"], ["phone-dark", 360, 760, "dark"],
                                                  ["desk", 1280, 900, "light"], ["desk-dark", 1280, 900, "dark"]]) {
    const page = await open(browser, name, { viewport: { width, height }, colorScheme, deviceScaleFactor: 1 });
    if (shots) await page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });
    await check_layout(page, name);
    await check_keyboard(page, name);
    await page.evaluate(() => document.querySelectorAll("details").forEach((one, i) => { one.open = i < 12; }));
    await page.evaluate(() => scrollTo(0, 0));
    if (shots) await page.screenshot({ path: `${shots}/${name}-open.png`, fullPage: true });
    await check_layout(page, `${name}, opened`);
    await check_axe(page, name);
    if (colorScheme === "light") await check_script(page, name);
    await page.context().close();
}
const plain = await open(browser, "no script", { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
if (!(await plain.locator("main h2").count())) faults.push("no script: nothing is shown");
if (await plain.locator("#tools").isVisible().catch(() => false)) faults.push("no script: tools that do nothing are shown");
if (shots) await plain.pdf({ path: `${shots}/print.pdf`, format: "A4" });
await browser.close();
for (const fault of [...new Set(faults)]) console.log(fault);
process.exit(faults.length ? 1 : 0);
