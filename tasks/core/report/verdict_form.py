"""The script of the report's page, which turns choices into the file of verdicts. The page is complete without it."""

import base64
import hashlib

SCRIPT = r"""
"use strict";
(() => {
const WORDS = ["copy", "related", "different"], COLUMNS = ["a", "b", "verdict", "note"];
const forms = [...document.querySelectorAll("form.verdict")];
const bar = document.getElementById("verdicts");
if (!bar) return;
const [says, open, save] = ["output", "input", "button"].map(name => bar.querySelector(name));
const given = new Map(forms.map(form => [form, form.elements.verdict.value]));
let opened = new Map(), isSaved = true;

const keyOf = (a, b) => JSON.stringify([a, b]);
const counted = count => count === 1 ? "1 verdict" : `${count} verdicts`;
const touched = () => forms.filter(form => form.classList.contains("touched"));
const compare = (x, y) => {  // by code points, as the build sorts; < goes by UTF-16
  const one = [...x], two = [...y], at = one.findIndex((sign, place) => sign !== two[place]);
  return at < 0 || at >= two.length ? one.length - two.length : one[at].codePointAt(0) - two[at].codePointAt(0);
};

const cellsOf = text => {
  const rows = [], cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\r|\n|$)/y;
  let row = [];
  while (cell.lastIndex < text.length || row.length) {
    const found = cell.exec(text);
    if (!found) throw new Error(`row ${rows.length + 1}: a quotation mark is missing or too many`);
    row.push(found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1]);
    if (found[2] !== ",") {
      if (row.some(Boolean)) rows.push(row);
      row = [];
    }
  }
  return rows;
};

const verdictsOf = text => {
  const [header = [], ...rows] = cellsOf(text.replace(/^\uFEFF/, "")), found = new Map();
  const isKnown = header.every((name, place) => COLUMNS.includes(name) && header.indexOf(name) === place);
  if (!isKnown || COLUMNS.slice(0, 3).some(name => !header.includes(name)))
    throw new Error(`expected the columns ${COLUMNS}, got '${header}'`);
  rows.forEach((cells, number) => {
    const row = Object.fromEntries(header.map((name, place) => [name, cells[place] ?? ""])), {verdict, note = ""} = row;
    const [a, b] = [row.a, row.b].sort(compare), key = keyOf(a, b), before = found.get(key);
    const isRow = cells.length === header.length && a && b && a !== b && WORDS.includes(verdict);
    if (!isRow) throw new Error(`row ${number + 2}: expected two record_ids and one of ${WORDS}, got '${cells}'`);
    if (before && before.verdict !== verdict)
      throw new Error(`row ${number + 2}: expected one verdict of each pair, ` +
        `got '${cells}' and '${before.verdict}' before`);
    found.set(key, {a, b, verdict, note: [...new Set([before?.note, note])].filter(Boolean).sort().join("; ")});
  });
  return found;
};

const verdicts = () => {
  const all = new Map(opened);
  for (const form of forms) {
    const {a, b} = form.dataset, key = keyOf(a, b), verdict = form.elements.verdict.value, before = opened.get(key);
    if (!verdict || (before && !form.classList.contains("touched"))) continue;
    const note = form.classList.contains("noted") ? form.elements.note.value : before?.note ?? "";
    all.set(key, {a, b, verdict, note});
  }
  return [...all.values()].sort((one, two) => compare(one.a, two.a) || compare(one.b, two.b));
};

const csvOf = rows => {
  const quoted = text => /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const lines = [COLUMNS, ...rows.map(row => COLUMNS.map(name => row[name]))];
  return lines.map(cells => cells.map(quoted).join(",") + "\r\n").join("");
};

const restore = form => {
  const before = opened.get(keyOf(form.dataset.a, form.dataset.b));
  form.classList.remove("touched", "noted");
  const verdict = before?.verdict ?? given.get(form);
  for (const radio of form.elements.verdict) radio.checked = radio.value === verdict;
  form.elements.note.value = before?.note ?? "";
};

for (const form of forms) {
  form.addEventListener("input", event => {
    form.classList.add("touched");
    if (event.target.name === "note") form.classList.add("noted");
    isSaved = false;
    says.value = `${counted(touched().length)} given here, not saved yet.`;
  });
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", event => {
    event.preventDefault();
    restore(form);
    form.querySelector("input").focus();
    isSaved = !touched().length;
    says.value = `${counted(touched().length)} given here` + (isSaved ? "." : ", not saved yet.");
  });
}

open.addEventListener("change", async () => {
  const [file] = open.files;
  if (!file) return;
  try {
    opened = verdictsOf(new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer()));
    forms.filter(form => !form.classList.contains("touched")).forEach(restore);
    says.value = `${file.name}: ${counted(opened.size)}. They will be saved with those given here.`;
  } catch (problem) {
    opened = new Map();
    open.value = "";
    says.value = `${file.name} was not opened. ${problem.message}`;
  }
});

save.addEventListener("click", () => {
  const rows = verdicts(), link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csvOf(rows)], {type: "text/csv;charset=utf-8"}));
  link.download = "verdicts.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  isSaved = true;
  says.value = `${counted(rows.length)} saved as verdicts.csv, ${opened.size} of them from the opened file.`;
});

addEventListener("beforeunload", event => { if (!isSaved) event.preventDefault(); });
for (const form of forms) form.classList.add("live");
bar.hidden = false;
})();
"""

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    f"script-src 'sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}'"
)
"""Content-Security-Policy of the page: a browser itself refuses what comes from elsewhere, and any script but this
one."""
