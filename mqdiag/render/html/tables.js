// Sorting and searching of tables. Without it every row is there, in the order of the report.
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
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
  const target = () => location.hash && document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
  addEventListener("hashchange", target);
  target();
})();
