// The table of all headlines, over Tabulator; what strangers wrote goes into the page as text and never as HTML.
(async () => {
  const bytes = Uint8Array.from(atob(document.getElementById("items-data").textContent), (one) => one.charCodeAt(0));
  const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const { systems, measures } = data;
  const name = (measure) => data.names[measure] ?? measure;
  // What a measure means is on the page already, for the heads of its tables.
  const about = (measure) => document.getElementById(`about-${measure}`).textContent;
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const items = data.items.map((item) => ({ ...item, sides: {} }));
  const byId = new Map(items.map((item) => [item.id, item]));
  const headings = new Map([["none", "none: it passes"]]); // of what refuses a headline, by the names of the judges
  const rows = data.rows.map(({ refused_by, ...verdicts }) => {
    const item = byId.get(verdicts.id), judges = refused_by.map((reason) => reason.name);
    const row = { ...item, ...verdicts, item, refused: judges.join(" + ") || "none",
      reasons: refused_by.map((reason) => reason.detail ? `${name(reason.name)}: ${reason.detail}` : name(reason.name)) };
    if (judges.length) headings.set(row.refused, judges.map(name).join(" + "));
    item.sides[row.system] ??= row; // the first clause
    return row;
  });
  const known = measures.filter((measure) => rows.some((row) => row[measure] !== null));
  const graded = data.graded.filter((measure) => rows.some((row) => row[measure] !== null));
  const figure = (value) => value === null ? "n/a" : value.toFixed(3).replace(/^(-?)0/, "$1");
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
    for (const { start, end: stop } of unsupported) {
      parts.push(letters.slice(end, start).join(""), element("u", letters.slice(start, stop).join("")));
      end = stop;
    }
    return [...parts, letters.slice(end).join("")];
  };

  const dialog = document.getElementById("items-dialog");
  let shown = null; // the item in the dialog
  let reading = false; // whether its article is open
  const button = (text, onclick) => Object.assign(element("button", text, { type: "button" }), { onclick });
  const show = (item) => {
    const side = (row) => element("div", [
      element("h4", row.system), element("p", underlined(row)),
      element("div", graded.map((measure) => `${measure} ${figure(row[measure])}`).join(" · ")),
      element("ul", known.map((measure) => element("li", [
        sign(row[measure]), ` ${name(measure)} `, element("small", row[data.probabilities[measure]] == null ? "" : figure(row[data.probabilities[measure]]))], { title: about(measure) }))),
      element("small", row.reasons.length ? `refused by ${row.reasons.join("; ")}` : "nothing refuses it"),
    ], { className: "side" });
    const article = element("details", [element("summary", "Article"), element("p", item.article, { lang: "" })], { open: reading });
    article.ontoggle = () => { reading = article.open; };
    shown = item;
    dialog.replaceChildren(
      element("div", [element("span", `${item.id} · ${item.direction}`, { className: "note" }), element("span", [
        button("‹ Previous", () => turn(-1)), button("Next ›", () => turn(1)), button("Close", () => dialog.close())])], { className: "items-bar" }),
      element("h3", item.source, { id: "items-title" }),
      element("p", item.gold && !item.sides.gold ? `the other newspaper's own: ${item.gold}` : "", { className: "note" }),
      ...(item.article ? [article] : []),
      element("div", systems.filter((name) => item.sides[name]).map((name) => side(item.sides[name])), { className: "sides" }),
      element("p", `Mind that ${document.getElementById("no-check").textContent}.`, { className: "note" }),
      element("dl", [...graded, ...known].flatMap((measure) => [element("dt", name(measure)), element("dd", about(measure))]), { className: "metrics note" }),
    );
    if (!dialog.open) dialog.showModal();
    dialog.focus(); // what had the focus is gone
    remember();
  };
  const turn = (step) => { // the neighbour in the table as it is sorted and filtered
    const inOrder = [...new Set(table.getRows("active").map((row) => row.getData().item))];
    const next = inOrder[inOrder.indexOf(shown) + step];
    if (next) show(next);
  };
  dialog.tabIndex = -1;
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.onclose = () => { shown = null; remember(); };
  dialog.onkeydown = (event) => {
    const step = { ArrowLeft: -1, k: -1, ArrowRight: 1, j: 1 }[event.key];
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); turn(step); }
  };

  const choice = (choices) => (cell, rendered, success) => {
    const box = element("select", Object.entries({ "": "all", ...choices }).map(([value, text]) => element("option", text, { value })));
    box.setAttribute("aria-label", cell.getColumn().getDefinition().title);
    box.value = cell.getValue() ?? "";
    box.onchange = () => success(box.value);
    return box;
  };
  const opener = (cell) => Object.assign(button(cell.getValue(), () => show(cell.getData().item)), { className: "item-link" });
  const narrow = matchMedia("(max-width: 48rem)").matches;
  const compare = (one, other) => collator.compare(one, other);
  const text = (title, field, more = {}) => ({ title, field, sorter: compare, headerFilter: "input", minWidth: 106, widthGrow: 3,
    headerFilterPlaceholder: "search", formatter: (cell) => element("span", cell.getValue()), ...more });
  const chosen = (title, field, values, more = {}) => ({ title, field, sorter: compare, headerFilter: choice(Object.fromEntries(values.map((one) => [one, one]))),
    headerFilterFunc: (wanted, value) => wanted === value, headerFilterEmptyCheck: (value) => !value, formatter: (cell) => element("span", cell.getValue()), width: 92, minWidth: 88, ...more });
  const explain = (measure) => { document.getElementById("items-about").textContent = about(measure); }; // a finger does not hover
  const wide = (measure) => Math.round(22 + 6.7 * Math.max(...name(measure).split(" ").map((word) => word.length))); // its longest word
  const marks = (measure) => ({ title: name(measure), field: measure, headerTooltip: about(measure), headerClick: () => explain(measure), hozAlign: "center", cssClass: "item-mark", width: wide(measure), minWidth: wide(measure),
    sorter: (one, other) => (one ?? -1) - (other ?? -1), headerFilter: choice({ yes: "✓", no: "✗" }), headerFilterEmptyCheck: (value) => !value,
    headerFilterFunc: (wanted, value) => value === (wanted === "yes"), formatter: (cell) => sign(cell.getValue()), headerSortStartingDir: "desc" });
  const figures = (measure) => ({ ...marks(measure), sorter: "number", headerFilter: "number", headerFilterPlaceholder: "≥", headerFilterEmptyCheck: (value) => value === "",
    headerFilterFunc: (least, value) => value >= least, formatter: (cell) => element("span", figure(cell.getValue())) });
  const key = { title: "no.", field: "id", sorter: compare, headerFilter: "input", headerFilterPlaceholder: "search", width: 84, minWidth: 84, formatter: opener };
  const direction = directions.length > 1 ? [chosen("direction", "direction", directions, { width: Math.max(108, Math.round(20 + 8.6 * Math.max(...directions.map((one) => one.length)))) })] : [];
  const otherHeading = (name) => !name || name === "gold" ? "the other newspaper's own" : name;
  const beside = text(otherHeading(), "gold", { visible: rows.some((row) => row.gold) || systems.length > 1, formatter: (cell) => {
    const other = cell.getData().item.sides[controls.against.value];
    if (!other || other.system === "gold") return element("span", cell.getValue());
    const below = other.reasons.map((reason) => element("small", ["✗ ", reason])); // no column of marks is its
    return element("span", [element("span", [sign(passes(other)), " ", ...underlined(other)]), ...below], { className: "item-side" });
  } });
  const system = chosen("system", "system", systems, { width: 100 });
  const columns = [key, ...(narrow ? [] : [...direction, system, text("original", "source")]),
    text("new headline", "headline", { formatter: (cell) => {
      const row = cell.getData(); // the columns of marks say the others, where they are in sight
      const below = row.reasons.filter((reason) => narrow || reason.includes(":")).map((reason) => element("small", ["✗ ", reason]));
      return element("span", [element("span", underlined(row), { className: "item-headline" }), ...below], { className: "item-side" });
    } }),
    ...graded.map(figures), ...known.map(marks), ...(narrow ? [text("original", "source")] : []), beside, ...(narrow ? [system, ...direction] : [])];
  const table = new Tabulator("#items-table", {
    data: rows, columns, layout: "fitColumns", pagination: true, paginationSize: 20, paginationSizeSelector: [20, 50, 100],
    placeholder: "No headline matches the filters.", columnHeaderSortMulti: true, locale: "page", renderHorizontal: "basic",
    columnDefaults: { titleFormatter: (cell) => element("span", cell.getValue()) }, // a system's name is a text too
    langs: { page: { pagination: { first: "«", first_title: "First", last: "»", last_title: "Last", prev: "‹", prev_title: "Previous",
      next: "›", next_title: "Next", page_size: "Lines a page" } } },
  });
  const number = (value) => value.toLocaleString(document.documentElement.lang, { useGrouping: "always" });

  // Filters beside those of the heads; all of them stand in the address, as does the item that is open.
  const controls = {};
  const passes = (row) => row.refused === "none";
  const outcome = (row) => {
    const other = row.item.sides[controls.against.value];
    return other && ["neither", "other", "one", "both"][2 * passes(row) + passes(other)];
  };
  const counted = (values) => values.reduce((counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1), new Map());
  const fill = (control, choices) => {
    const { value } = control;
    control.replaceChildren(...Object.entries(choices).map(([key, label]) => element("option", label, { value: key })));
    control.value = value in choices ? value : "";
  };
  const describe = () => {
    const [one, other] = [table.getHeaderFilterValue("system"), controls.against.value];
    const counts = counted(rows.filter((row) => !one || row.system === one).map(outcome));
    const outcomes = { both: "both pass", one: `${one || "the system"} alone passes`, other: `${other} alone passes`, neither: "neither passes" };
    fill(controls.outcome, { "": "all", ...(other && Object.fromEntries(Object.entries(outcomes).map(([key, label]) => [key, `${label} (${number(counts.get(key) ?? 0)})`]))) });
    controls.outcome.disabled = !other;
    const reasons = [...counted(rows.filter((row) => !one || row.system === one).map((row) => row.refused))].sort((a, b) => b[1] - a[1]).map(([reason]) => reason);
    if (controls.refused.value && !reasons.includes(controls.refused.value)) reasons.push(controls.refused.value);
    fill(controls.refused, { "": "all", ...Object.fromEntries(reasons.map((reason) => [reason, headings.get(reason) ?? reason])) });
    table.getColumn("gold").getElement().querySelector(".tabulator-col-title").textContent = otherHeading(other);
  };
  const apply = () => {
    describe();
    const wanted = (control, value) => !control.value || control.value === value;
    table.setFilter((row) => wanted(controls.refused, row.refused) && wanted(controls.outcome, outcome(row)));
    table.redraw(true); // what stands beside the headlines
  };
  const state = () => {
    const filters = [...table.getHeaderFilters().map(({ field, value }) => [field, value]), ...Object.entries(controls).map(([name, { value }]) => [name, value])];
    return new URLSearchParams([...filters, ["item", shown?.id ?? ""]].filter(([, value]) => value));
  };
  const remember = () => {
    const now = `#${state()}`;
    if (ready && now !== location.hash) location.replace(now === "#" ? "#items" : now);
  };
  const restore = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (!location.hash.includes("=") || `${wanted}` === `${state()}`) return;
    ready = false;
    for (const { field } of columns) table.setHeaderFilterValue(field, wanted.get(field) ?? "");
    for (const name of ["against", "refused", "outcome"]) {
      describe(); // the outcomes
      controls[name].value = wanted.get(name) ?? "";
    }
    apply();
    ready = true;
    const item = items.find(({ id }) => id === wanted.get("item"));
    if (item) show(item);
    else document.getElementById("items").scrollIntoView();
    remember();
  };
  let ready = false;
  for (const [name, label] of [["refused", "refused by"], ["against", "compare with"], ["outcome", "outcome"]]) {
    controls[name] = element("select", element("option", "all", { value: "" }));
    controls[name].onchange = apply;
    document.getElementById("items-controls").append(element("label", [`${label} `, controls[name]]));
  }
  fill(controls.against, { "": "nothing", ...Object.fromEntries(systems.map((name) => [name, name])) });
  document.getElementById("items-controls").append(button("Reset", () => { location.hash = "system="; }));
  table.on("tableBuilt", () => {
    if (data.first && !location.hash.includes("=")) table.setHeaderFilterValue("system", data.first);
    ready = true;
    apply();
    restore();
    addEventListener("hashchange", restore);
  });
  table.on("dataFiltered", (filters, found) => {
    document.getElementById("items-count").textContent = `${number(found.length)} of ${number(rows.length)} lines`;
    if (ready) setTimeout(() => { describe(); remember(); }); // once Tabulator knows its filters
  });
  window.items = table; // for a reader's own questions in the console, and for tests
})();
