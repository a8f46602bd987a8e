"use strict";
// Everything can be read without this script; it adds sorting, searching, export and copying.
(function () {
  const FIRST = 50, MANY = 60;
  const all = (selector, root) => [...(root || document).querySelectorAll(selector)];
  const one = (selector, root) => (root || document).querySelector(selector);

  // --- sorting: numbers as numbers, text as text, what is missing always last
  function value(row, column) {
    const cell = row.cells[column];
    if ("v" in cell.dataset) return parseFloat(cell.dataset.v);
    const text = cell.textContent.trim();
    return cell.tagName === "TD" && (text === "–" || text === "") ? NaN : text;
  }
  function compare(a, b) {
    return typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b;
  }
  function sort(table, column, way) {
    const sign = way === "ascending" ? 1 : -1, body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    const gone = ([key]) => Number.isNaN(key);
    rows.sort((a, b) => gone(a) - gone(b) || (gone(a) ? 0 : sign * compare(a[0], b[0])));
    body.append(...rows.map(([, row]) => row));
  }
  function press(table, head) {
    const other = { ascending: "descending", descending: "ascending" };
    const way = other[head.getAttribute("aria-sort")] || head.dataset.first || "ascending";
    all("thead th", table).forEach((th) => th.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", way);
    sort(table, head.cellIndex, way);
    const said = one(".sorted", table.closest("section"));
    said.textContent = "Sorted by " + head.textContent + ", " + way + ".";
    table.dispatchEvent(new Event("sorted"));
  }
  function sortable(table) {
    one(".sorted", table.closest("section")).hidden = false;
    all("thead th", table).forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      if (head.dataset.sorted) head.setAttribute("aria-sort", head.dataset.sorted);
      button.addEventListener("click", () => press(table, head));
      head.append(button);
    });
  }

  // --- searching, whatever the case and the spaces, and the first rows of a long table
  const folded = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();
  function searchable(section, table) {
    const input = one("input", section), said = one("output", section), more = one("[data-do=more]", section);
    const rows = () => [...table.tBodies[0].rows], total = rows().length;
    let whole = total <= MANY;
    function show() {
      const words = folded(input.value);
      const found = rows().filter((row) => folded(row.textContent).includes(words));
      const shown = new Set(found), cut = !whole && !words;
      rows().forEach((row) => { row.hidden = !shown.has(row); row.classList.remove("later"); });
      if (cut) found.slice(FIRST).forEach((row) => row.classList.add("later"));
      more.parentElement.hidden = !cut;
      more.textContent = "Show all " + total;
      said.textContent = words ? found.length + " of " + total : "";
    }
    input.addEventListener("input", show);
    table.addEventListener("sorted", show);
    more.addEventListener("click", () => { whole = true; show(); });
    one(".tools", section).hidden = false;
    show();
  }

  // --- export: RFC 4180; a cell that a spreadsheet would take for a formula becomes text
  function field(text) {
    const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text);
    const safe = !number && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? "'" + text : text;
    return /[",\r\n]/.test(safe) || safe !== safe.trim() ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  }
  function fields(cell) {
    if ("v" in cell.dataset) return cell.dataset.v.split(" ").map((n) => (n === "." ? "" : n));
    const text = cell.tagName === "TH" ? cell.textContent : cell.textContent.trim();
    return [cell.tagName === "TD" && text === "–" ? "" : text];
  }
  function csv(table) {
    const heads = all("thead th", table).flatMap((th) => th.dataset.csv.split(" "));
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    const lines = rows.map((row) => [...row.cells].flatMap(fields));
    return "\ufeff" + [heads, ...lines].map((line) => line.map(field).join(",") + "\r\n").join("");
  }
  function download(text, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // --- copying: where the clipboard is out of reach, the text is at least selected
  async function copy(said) {
    const text = one("#paragraph");
    getSelection().selectAllChildren(text);
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      said.textContent = "Copied.";
    } catch {
      said.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl+C.";
    }
  }

  all("table.sortable").forEach(sortable);
  const table = one("#feature-table"), others = one("#selectors table.sortable");
  if (others && others.tBodies[0].rows.length > FIRST) searchable(one("#selectors"), others);
  if (table) {
    searchable(one("#features"), table);
    one("[data-do=export]").addEventListener("click", () => download(csv(table), "features.csv"));
  }
  const button = one("[data-do=copy]");
  if (button) {
    button.parentElement.hidden = false;
    button.addEventListener("click", () => copy(one("output", button.parentElement)));
  }

  // --- only boxes that do scroll are stops on the way through the page
  const boxes = all(".scroll, pre[tabindex]");
  const stops = () => boxes.forEach((box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  });
  addEventListener("resize", stops);
  all("details").forEach((part) => part.addEventListener("toggle", stops));
  stops();

  // --- a link into a folded part opens it
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    const parts = [...all("details.fold", target), target.closest("details")];
    parts.filter(Boolean).forEach((part) => { part.open = true; });
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  unfold();

  // --- a tooltip goes away on Escape; closed details are printed too
  addEventListener("keydown", (event) => document.body.classList.toggle("quiet", event.key === "Escape"));
  all(".term").forEach((term) => term.addEventListener("mouseenter", () => document.body.classList.remove("quiet")));
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    closed.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((part) => { part.open = false; }));
})();
