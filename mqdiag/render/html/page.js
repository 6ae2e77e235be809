// Sorting and searching of tables, flame graphs that are zoomed, and copying of code. Without it the rows are there in the order of the report: all
// of them, but for tables of thousands of rows.
"use strict";
(() => {
  const SEARCHED = 8;
  const BESIDE = 15;
  const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;

  // The rows of a table that is whole in the page.
  function written(table) {
    const body = table.tBodies[0];
    const key = (cell) => cell.dataset.key === undefined ? cell.textContent.toLowerCase() : Number(cell.dataset.key);
    return {
      count: body.rows.length,
      sort(column, up) {
        const rows = [...body.rows].sort((a, b) => compare(key(a.cells[column]), key(b.cells[column])));
        body.append(...(up ? rows : rows.reverse()));
      },
      search(wanted) {
        let shown = 0;
        for (const row of body.rows) {
          row.hidden = !row.textContent.toLowerCase().includes(wanted);
          shown += row.hidden ? 0 : 1;
        }
        return shown;
      },
    };
  }

  // The rows of a long table, which are data: only those in sight are elements, between two rows that hold the space of
  // the others. A row that stays in sight stays the same element, so that the focus stays where it is.
  function virtual(table, view, data) {
    const body = table.tBodies[0];
    const heads = table.tHead.rows[0].cells;
    const text = (cell) => String(Array.isArray(cell) ? cell[0] : cell);
    const key = (cell) => Array.isArray(cell) ? cell[1] : typeof cell === "number" ? cell : cell.toLowerCase();
    const all = data.map((cells) => ({cells, searched: cells.slice(0, heads.length).map(text).join(" ").toLowerCase()}));
    let rows = all;
    let high = 0;

    function element(row) {
      if (row.element) return row.element;
      row.element = document.createElement("tr");
      for (let column = 0; column < heads.length; column++) {
        const cell = row.element.insertCell();
        const page = column === 0 && row.cells[heads.length];
        if (heads[column].classList.contains("number")) cell.className = "number";
        const inner = page ? cell.appendChild(document.createElement("a")) : cell;
        if (page) inner.href = page;
        inner.textContent = cell.title = text(row.cells[column]);
      }
      return row.element;
    }

    function space(count) {
      const row = document.createElement("tr");
      row.className = "space";
      row.setAttribute("aria-hidden", "true");
      row.insertCell().colSpan = heads.length;
      row.style.height = `${count * high}px`;
      return row;
    }

    function show() {
      // A table of a closed part has no height: it is shown when the part is opened.
      high ||= body.rows[0].getBoundingClientRect().height;
      if (!high) return;
      const first = Math.max(0, Math.floor(view.scrollTop / high) - BESIDE);
      const last = Math.min(rows.length, Math.ceil((view.scrollTop + view.clientHeight) / high) + BESIDE);
      const inSight = rows.slice(first, last);
      const kept = new Set(inSight.map(element));
      for (const row of [...body.rows]) if (!kept.has(row)) row.remove();
      inSight.forEach((row, place) => {
        row.element.setAttribute("aria-rowindex", first + place + 2);
        if (body.rows[place] !== row.element) body.insertBefore(row.element, body.rows[place] ?? null);
      });
      body.prepend(space(first));
      body.append(space(rows.length - last));
    }

    let waits = false;
    view.addEventListener("scroll", () => {
      if (!waits) requestAnimationFrame(() => { waits = false; show(); });
      waits = true;
    });
    addEventListener("resize", show);
    addEventListener("toggle", show, true);
    show();
    return {
      count: all.length,
      sort(column, up) {
        const order = (a, b) => compare(key(a.cells[column]), key(b.cells[column]));
        all.sort((a, b) => up ? order(a, b) : order(b, a));
        if (rows !== all) rows = all.filter((row) => row.found);
        show();
      },
      search(wanted) {
        for (const row of all) row.found = row.searched.includes(wanted);
        rows = wanted ? all.filter((row) => row.found) : all;
        view.scrollTop = 0;
        show();
        return rows.length;
      },
    };
  }

  function sortable(table, rows) {
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
        rows.sort(column, up);
      });
    });
  }

  function searchable(box, rows) {
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
      const shown = rows.search(wanted);
      count.textContent = wanted ? `${shown}${document.body.dataset.of}${rows.count}` : "";
    });
  }

  for (const box of document.querySelectorAll(".table")) {
    const table = box.querySelector("table");
    const data = box.querySelector("script");
    const rows = data ? virtual(table, box.querySelector(".scroll"), JSON.parse(data.textContent)) : written(table);
    sortable(table, rows);
    if (rows.count > SEARCHED) searchable(box, rows);
  }
  // A flame graph: a box that is chosen becomes as wide as the picture, with what it calls; Escape, or the box again,
  // shows all. A search dims the others.
  function flames(picture, calls) {
    const whole = picture.viewBox.baseVal.width;
    const CHARACTER = 7.2;
    const boxes = calls.map((call) => {
      const {label, left, width, depth} = call.dataset;
      return {call, label, left: Number(left), width: Number(width), depth: Number(depth)};
    });
    let chosen = null;

    function show(one) {
      chosen = one;
      const from = one ? one.left : 0;
      const scale = whole / (one ? one.width : whole);
      for (const box of boxes) {
        const left = Math.max((box.left - from) * scale, 0);
        const right = Math.min((box.left + box.width - from) * scale, whole);
        const rect = box.call.querySelector("rect");
        const text = box.call.querySelector("text");
        const room = Math.floor((right - left - 8) / CHARACTER);
        box.call.style.display = right - left > 0.01 ? "" : "none";
        rect.setAttribute("x", left);
        rect.setAttribute("width", Math.max(right - left - 0.5, 0));
        text.setAttribute("x", left + 4);
        text.textContent = box.label.length <= room ? box.label : room < 3 ? "" : "…" + box.label.slice(box.label.length - room + 1);
      }
    }

    for (const box of boxes) {
      box.call.setAttribute("tabindex", "0");
      box.call.setAttribute("role", "button");
      box.call.setAttribute("aria-label", box.call.querySelector("title").textContent);
      const choose = () => show(chosen === box ? null : box);
      box.call.addEventListener("click", choose);
      box.call.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
        if (event.key === "Escape") show(null);
      });
    }
    picture.setAttribute("role", "group");
    searchable(picture.closest("figure"), {
      count: boxes.length,
      search(wanted) {
        let found = 0;
        for (const box of boxes) {
          const fits = box.label.toLowerCase().includes(wanted);
          box.call.classList.toggle("apart", !fits);
          found += fits ? 1 : 0;
        }
        return found;
      },
    });
  }

  for (const picture of document.querySelectorAll("figure svg")) {
    const calls = [...picture.querySelectorAll(".call")];
    if (calls.length) flames(picture, calls);
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

  for (const source of document.querySelectorAll(".paste, pre")) copyable(source);
  function target() {
    const aim = location.hash && document.getElementById(location.hash.slice(1));
    if (!aim) return;
    for (let inside = aim.closest("details"); inside; inside = inside.parentElement.closest("details")) inside.open = true;
    const own = aim.querySelector(":scope > details.section");
    if (own) own.open = true;
  }
  addEventListener("hashchange", target);
  target();
})();
