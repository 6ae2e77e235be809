// Filters over the table of rules: a word, the evidence that a rule needs, its severity. Without this script the table stands as it is.
document.addEventListener("DOMContentLoaded", () => {
  const table = [...document.querySelectorAll("article table")].find(
    (one) => one.tHead?.rows[0].cells[0].textContent.trim() === "rule",
  );
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const words = (column) =>
    [...new Set(rows.flatMap((row) => row.cells[column].textContent.split(",").map((word) => word.trim())))]
      .filter(Boolean)
      .sort();
  const field = (name, element) => {
    const label = document.createElement("label");
    label.append(`${name} `, element);
    return label;
  };
  const choice = (column) => {
    const select = document.createElement("select");
    for (const word of ["", ...words(column)]) select.append(new Option(word || "any", word));
    return select;
  };
  const text = Object.assign(document.createElement("input"), { type: "search" });
  const evidence = choice(1);
  const severity = choice(2);
  const shown = Object.assign(document.createElement("output"), {});
  const form = document.createElement("form");
  form.className = "rule-filter";
  form.append(field("Word", text), field("Evidence", evidence), field("Severity", severity), shown);
  const has = (cell, word) => !word || cell.textContent.split(",").some((one) => one.trim() === word);
  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let count = 0;
    for (const row of rows) {
      row.hidden = !(
        row.textContent.toLowerCase().includes(wanted) &&
        has(row.cells[1], evidence.value) &&
        has(row.cells[2], severity.value)
      );
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${rows.length} rules`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  table.parentElement.insertBefore(form, table);
  filter();
});
