// SPDX-License-Identifier: Apache-2.0
//
// Fills the frame (dashboard.html) with the page that the address names, and says how that went. A page is
// show(place, query): it puts its sections into `place`, and throws an Error with a sentence.
import { el, section } from "/assets/dom.js";

const pages = {
    "/": "page_changes", "/problems": "page_problems", "/history": "page_history", "/run": "page_run", "/compare": "page_compare",
    "/live": "page_live", "/profile": "page_profile", "/tuning": "page_tuning",
    "/leaderboard": "page_leaderboard",
};

function mark_link() {
    const of_page = { "/history": "/problems", "/profile": "/run" }[location.pathname] ?? location.pathname;
    for (const link of document.querySelectorAll("nav a"))
        if (link.getAttribute("href") === of_page) link.setAttribute("aria-current", "page");
}

function say_error(place, error) {
    place.replaceChildren(el("section", { class: "verdict unsure", role: "alert" }, el("div", {},
        el("h1", {}, "This page cannot be shown"), el("p", { class: "lead" }, error.message),
        el("p", {}, el("button", { type: "button", class: "act", click: () => location.reload() }, "Try again")))));
}

const place = document.getElementById("main");
mark_link();
place.replaceChildren(section(null, el("p", { class: "dim", role: "status" }, "Loading ...")));
try {
    const page = await import(`/assets/${pages[location.pathname]}.js`).catch(() => {
        throw new Error("The server does not give the script of this page. Is `assay serve` still running?");
    });
    await page.show(place, new URLSearchParams(location.search));
} catch (error) {
    say_error(place, error);
}
place.setAttribute("aria-busy", "false");
