// Sorting and searching of tables, and copying of code. Without it every row is there, in the order of the report.
"use strict";
(() => {
  const LONG = 8;
  const key = (cell) => cell.dataset.key === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.key);
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;

  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && !head.classList.contains("number"));
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const body = table.tBodies[0];
        const rows = [...body.rows].sort((a, b) => compare(key(a.cells[column]), key(b.cells[column])));
        body.append(...(up ? rows : rows.reverse()));
      });
    });
  }

  function searchable(box, table) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("span");
    label.className = "filter";
    label.style.display = "block";
    input.type = "search";
    count.setAttribute("role", "status");
    label.append(document.body.dataset.search, input, " ", count);
    box.prepend(label);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = wanted ? `${shown}${document.body.dataset.of}${table.tBodies[0].rows.length}` : "";
    });
  }

  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    sortable(table);
    if (table.tBodies[0].rows.length > LONG) searchable(box, table);
  }
  // Pages opened from a file have no clipboard in some browsers; there a selection is copied.
  async function copied(source) {
    const text = source.textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const chosen = getSelection();
      chosen.selectAllChildren(source);
      document.execCommand("copy");
      chosen.removeAllRanges();
    }
  }

  function copyable(source) {
    const button = document.createElement("button");
    const label = document.body.dataset.copy;
    button.type = "button";
    button.className = "copy";
    button.textContent = label;
    button.setAttribute("aria-label", `${label}: ${source.textContent}`);
    button.addEventListener("click", async () => {
      await copied(source);
      button.textContent = document.body.dataset.copied;
      setTimeout(() => { button.textContent = label; }, 2000);
    });
    source.after(button);
  }

  for (const source of document.querySelectorAll(".answer code, .finding > ol code, pre")) copyable(source);
  const target = () => location.hash && document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
  addEventListener("hashchange", target);
  target();
})();
