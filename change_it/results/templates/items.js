// The table of all headlines, over Tabulator; what strangers wrote goes into the page as text and never as HTML.
(async () => {
  const bytes = Uint8Array.from(atob(document.getElementById("items-data").textContent), (one) => one.charCodeAt(0));
  const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const { systems, measures } = data;
  // What a measure means is on the page already, for the heads of its tables.
  const about = (measure) => document.getElementById(`about-${measure.replace("compliant", "compliancy")}`).textContent;
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const items = data.items.map(([id, direction, original, gold]) => ({ id, direction, original, gold, sides: {} }));
  const rows = data.rows.map(([item, system, headline, joint, verdicts, unsupported, probabilities]) => {
    const row = { item: items[item], id: items[item].id, direction: items[item].direction, original: items[item].original,
      gold: items[item].gold, system: systems[system], headline, joint, unsupported, probabilities };
    measures.forEach((measure, at) => { row[measure] = { 1: true, 0: false }[verdicts[at]] ?? null; });
    items[item].sides[row.system] = row;
    return row;
  });
  const known = measures.filter((measure) => rows.some((row) => row[measure] !== null));
  const hasJoint = rows.some((row) => row.joint !== null);
  const graded = (joint) => joint === null ? "n/a" : joint.toFixed(2);
  const directions = [...new Set(items.map((item) => item.direction))];

  const element = (name, content = "", attributes = {}) => {
    const made = Object.assign(document.createElement(name), attributes);
    made.append(...[content].flat());
    return made;
  };
  const sign = (verdict) => verdict === null ? element("span", "–", { title: "n/a" })
    : element("span", verdict ? "✓" : "✗", { className: verdict ? "yes" : "no" });
  const underlined = ({ headline, unsupported }) => {
    if (!headline) return [element("em", "(no headline)")];
    const letters = Array.from(headline); // places count letters, as Python does
    const parts = [];
    let end = 0;
    for (const [start, stop] of unsupported) {
      parts.push(letters.slice(end, start).join(""), element("u", letters.slice(start, stop).join("")));
      end = stop;
    }
    return [...parts, letters.slice(end).join("")];
  };

  const dialog = document.getElementById("items-dialog");
  const show = (item) => {
    const side = (row) => element("div", [
      element("h4", row.system), element("p", underlined(row)),
      ...(hasJoint ? [element("p", `joint ${graded(row.joint)}`, { title: about("joint") })] : []),
      element("ul", known.map((measure) => element("li", [
        sign(row[measure]), ` ${measure} `, element("small", row.probabilities[measure] ?? "")], { title: about(measure) }))),
    ], { className: "side" });
    const close = element("button", "Close", { type: "button" });
    close.onclick = () => dialog.close();
    dialog.replaceChildren(
      element("div", [element("span", `${item.id} · ${item.direction}`, { className: "note" }), close], { className: "items-bar" }),
      element("h3", item.original, { id: "items-title" }),
      element("p", item.gold && !item.sides.gold ? `the other newspaper's own: ${item.gold}` : "", { className: "note" }),
      element("div", systems.filter((name) => item.sides[name]).map((name) => side(item.sides[name])), { className: "sides" }),
      element("p", [...(hasJoint ? ["joint"] : []), ...known].map(about).join(" "), { className: "note" }),
    );
    dialog.showModal();
  };
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };

  const choice = (choices) => (cell, rendered, success) => {
    const box = element("select", Object.entries({ "": "all", ...choices }).map(([value, text]) => element("option", text, { value })));
    box.setAttribute("aria-label", cell.getColumn().getDefinition().title);
    box.onchange = () => success(box.value);
    return box;
  };
  const opener = (cell) => {
    const button = element("button", cell.getValue(), { className: "item-link", type: "button" });
    button.onclick = () => show(cell.getData().item);
    return button;
  };
  const narrow = matchMedia("(max-width: 48rem)").matches;
  const compare = (one, other) => collator.compare(one, other);
  const text = (title, field, more = {}) => ({ title, field, sorter: compare, headerFilter: "input", minWidth: narrow ? 180 : 157, widthGrow: 3,
    headerFilterPlaceholder: "search", formatter: (cell) => element("span", cell.getValue()), ...more });
  const chosen = (title, field, values, more = {}) => ({ title, field, sorter: compare, headerFilter: choice(Object.fromEntries(values.map((one) => [one, one]))),
    headerFilterFunc: (wanted, value) => wanted === value, headerFilterEmptyCheck: (value) => !value, formatter: (cell) => element("span", cell.getValue()), width: narrow ? 92 : 100, minWidth: 88, ...more });
  const explain = (measure) => { document.getElementById("items-about").textContent = about(measure); }; // a finger does not hover
  const marks = (measure) => ({ title: measure, field: measure, headerTooltip: about(measure), headerClick: () => explain(measure), hozAlign: "center", cssClass: "item-mark", width: ({ compliant: 80, evidence: 74 })[measure] ?? 61, minWidth: 61,
    sorter: (one, other) => (one ?? -1) - (other ?? -1), headerFilter: choice({ yes: "✓", no: "✗" }), headerFilterEmptyCheck: (value) => !value,
    headerFilterFunc: (wanted, value) => value === (wanted === "yes"), formatter: (cell) => sign(cell.getValue()), headerSortStartingDir: "desc" });
  const joint = hasJoint ? [{ title: "joint", field: "joint", headerTooltip: about("joint"), headerClick: () => explain("joint"), hozAlign: "center", cssClass: "item-mark", width: 61, minWidth: 61,
    sorter: "number", headerFilter: "number", headerFilterPlaceholder: "≥", headerFilterFunc: ">=", formatter: (cell) => element("strong", graded(cell.getValue())), headerSortStartingDir: "desc" }] : [];
  const key = { title: "no.", field: "id", sorter: compare, headerFilter: "input", headerFilterPlaceholder: "search", width: 88, minWidth: 88, formatter: opener };
  const direction = directions.length > 1 ? [chosen("direction", "direction", directions)] : [];
  const columns = [key, chosen("system", "system", systems), ...(narrow ? [] : [text("original", "original")]),
    text("new headline", "headline", { formatter: (cell) => {
      const row = cell.getData(); // where columns of marks are out of sight they stand below the headline too
      const below = narrow ? [element("small", known.map((measure) => element("span", [sign(row[measure]), ` ${measure}`], { className: "item-verdict" })))] : [];
      return element("span", [element("span", underlined(row), { className: "item-headline" }), ...below], { className: "item-side" });
    } }),
    ...joint, ...known.map(marks), ...(narrow ? [text("original", "original")] : []), text("the other newspaper's own", "gold", { minWidth: 250 }), ...direction];
  const table = new Tabulator("#items-table", {
    data: rows, columns, layout: "fitColumns", pagination: true, paginationSize: 20, paginationSizeSelector: [20, 50, 100],
    placeholder: "No headline is like that.", columnHeaderSortMulti: true, locale: "page", renderHorizontal: "basic",
    columnDefaults: { titleFormatter: (cell) => element("span", cell.getValue()) }, // a system's name is a text too
    langs: { page: { pagination: { first: "«", first_title: "First", last: "»", last_title: "Last", prev: "‹", prev_title: "Previous",
      next: "›", next_title: "Next", page_size: "Lines a page" } } },
  });
  const number = (value) => value.toLocaleString(document.documentElement.lang, { useGrouping: "always" });
  table.on("dataFiltered", (filters, found) => {
    document.getElementById("items-count").textContent = `${number(found.length)} of ${number(rows.length)} lines`;
  });
  window.items = table; // for a reader's own questions in the console, and for tests
})();
