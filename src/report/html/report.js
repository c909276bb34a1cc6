// SPDX-License-Identifier: Apache-2.0
"use strict";
// Sorts and filters the problems, opens what a link or a printer needs, copies commands, reads charts. The page is
// complete without it. Nothing is fetched, no text becomes markup.
(() => {
  const table = document.getElementById("overview");
  const body = table && table.tBodies[0];
  const rows = body ? [...body.rows] : [];
  const problems = [...document.querySelectorAll("details.problem")];

  // ---- sorting: a button in each head; the third press brings the first order back ----
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const key = cell.dataset.key;
    return key === undefined ? (column ? NaN : cell.textContent) : Number(key);
  };
  const compare = (a, b) => typeof a === "string"
    ? a.localeCompare(b, "en", { numeric: true })
    : (Number.isNaN(a) - Number.isNaN(b)) || a - b;
  const sort = (head, column) => {
    const before = head.getAttribute("aria-sort");
    const after = before === null ? "descending" : before === "descending" ? "ascending" : null;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    const sign = after === "ascending" ? 1 : -1;
    const sorted = after === null ? rows : [...rows].sort((x, y) => {
      const a = keyOf(x, column), b = keyOf(y, column);
      return Number.isNaN(a) || Number.isNaN(b) ? compare(a, b) : sign * compare(a, b);
    });
    if (after !== null) head.setAttribute("aria-sort", after);
    body.append(...sorted);
  };
  if (table && rows.length > 1)
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (head.classList.contains("plot")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => sort(head, column));
    });

  // ---- filtering ----
  const tools = document.getElementById("tools");
  if (tools && rows.length > 1) {
    const find = document.getElementById("find"), tone = document.getElementById("tone");
    const shown = document.getElementById("shown");
    const filter = () => {
      const wanted = find.value.trim().toLowerCase(), tones = tone.value ? tone.value.split(" ") : null;
      let count = 0;
      for (const row of rows) {
        const fits = row.cells[0].textContent.toLowerCase().includes(wanted) && (!tones || tones.includes(row.dataset.tone));
        row.hidden = !fits;
        count += fits;
        const link = row.querySelector("a.name");
        const problem = link && document.getElementById(link.hash.slice(1));
        if (problem) problem.hidden = !fits;
      }
      shown.textContent = count === rows.length ? `${count} shown` : `${count} of ${rows.length} shown`;
    };
    tools.hidden = false;
    tools.addEventListener("input", filter);
    tools.addEventListener("submit", (event) => event.preventDefault());
    filter();
  }

  // ---- a link opens its problem; printing opens all that need a look, all of them on a short page ----
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.querySelector("summary").focus();
    }
  };
  addEventListener("hashchange", open);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.name");
    if (link && link.hash === location.hash) open();
  });
  open();
  addEventListener("beforeprint", () => {
    for (const problem of problems)
      if (problems.length <= 12 || problem.querySelector("summary .bad, summary .unsure")) problem.open = true;
  });

  // ---- commands ----
  if (navigator.clipboard)
    for (const code of document.querySelectorAll(".commands code")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", () => navigator.clipboard.writeText(code.textContent).then(
        () => { button.textContent = "Copied"; }, () => { button.textContent = "Not copied"; }));
      code.after(button);
    }

  // ---- the time of the nearest sample under the pointer, or its count: of the chart's unit, "instr" ----
  const times = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
  const counts = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
  const amountText = (amount, unit) => {
    const units = unit ? counts : times;
    const [size, name] = units.find(([size]) => amount >= size) || units[3];
    return unit ? `${(amount / size).toPrecision(5)} ${name}${name && unit.length > 1 ? " " : ""}${unit}`
      : `${(amount / size).toPrecision(4)} ${name}`;
  };
  const read = (area) => {
    const height = area.viewBox.baseVal.height, low = Number(area.dataset.low), high = Number(area.dataset.high);
    const points = [];
    for (const path of area.querySelectorAll("path.points"))
      for (const found of path.getAttribute("d").matchAll(/M([\d.]+) ([\d.]+)/g)) points.push([Number(found[1]), Number(found[2])]);
    const label = document.createElement("span");
    label.className = "read";
    label.hidden = true;
    label.setAttribute("aria-hidden", "true");
    area.closest(".plotted").append(label);
    area.addEventListener("pointermove", (event) => {
      const box = area.getBoundingClientRect();
      const x = event.clientX - box.left, y = event.clientY - box.top;
      let nearest = null, least = 400;
      for (const point of points) {
        const distance = (point[0] * box.width / 1000 - x) ** 2 + (point[1] * box.height / height - y) ** 2;
        if (distance < least) { least = distance; nearest = point; }
      }
      label.hidden = nearest === null;
      if (nearest) label.textContent = amountText(low + (1 - nearest[1] / height) * (high - low), area.dataset.unit);
    });
    area.addEventListener("pointerleave", () => { label.hidden = true; });
  };
  document.addEventListener("pointerover", (event) => {
    const area = event.target.closest && event.target.closest("svg.paths[data-low]");
    if (!area || area.dataset.read) return;
    area.dataset.read = "1";
    read(area);
  });
})();
