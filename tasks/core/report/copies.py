"""The report's section on copies: clusters, the closest pairs that were not merged, and a verdict form for each."""

import base64
import contextlib
import hashlib
from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlsplit

from schemas.phrases import and_more, counted
from schemas.reasons import MEANING as WHY
from schemas.reasons import Reason
from schemas.relations import MEANING, VERDICTS, DropRelation, Relation
from tasks.core.report.clusters import Cluster, RecordPair, ReviewSelection, why_it_stayed
from tasks.core.report.pieces import CAPTION, LONGEST, outside, record_name, wide_table
from tasks.core.report.thumbnails import Thumbnail, picture

Facts = Mapping[str, Mapping[str, Any]]
Thumbnails = Mapping[str, Thumbnail]

_VERDICT_MEANING = {
    "copy": "one work: one record is kept, the other is dropped",
    "related": "two pictures that belong together: both are kept, in one split",
    "different": "two works: both are kept, in any split",
}
_COPIES: frozenset[str] = frozenset(DropRelation.__args__)  # type: ignore[attr-defined]

STYLE = """
.clusters{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(33rem,100%),1fr));gap:0 1.2rem}
.cluster{display:grid;grid-template-columns:15rem 1fr;gap:1.2rem;border-top:1px solid var(--rule);padding:1.2rem 0;
align-items:start}
.cluster.wide{grid-column:1/-1}.stays{position:sticky;top:.6rem}.copies{display:flex;flex-wrap:wrap;gap:1.2rem}
.copy{width:15rem;max-width:100%}
.apart{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:1.2rem}
.apart article{border:1px solid var(--rule);border-radius:6px;padding:.8rem;display:flex;
flex-direction:column;gap:.6rem}
.side{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}
.cluster figure,.apart figure{width:auto}.cluster svg,.apart svg{height:13rem;background:var(--wash);border-radius:3px}
.cluster figcaption,.apart figcaption{overflow-wrap:anywhere;margin-top:.35rem}.quiet{color:var(--quiet)}
.found{margin:.4rem 0;font-size:.85rem}
.tag{background:var(--wash);border-radius:3px;padding:.05rem .4rem;font-weight:600}
.cluster h3{font-size:.8rem;margin:0 0 .3rem;color:var(--quiet)}.stays h3{color:var(--stays)}.apart .found{margin:0}
form.verdict{font-size:.85rem;margin-top:auto}form.verdict fieldset{border:0;padding:0;margin:0;display:flex;gap:.25rem}
form.verdict legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
form.verdict label{border:1px solid var(--edge);border-radius:4px;padding:.1rem .4rem .1rem .25rem;cursor:pointer;
white-space:nowrap}
form.verdict label:has(:checked){background:var(--button);border-color:var(--button);color:var(--on-button)}
form.verdict label:focus-within{outline:2px solid var(--link);outline-offset:2px}
form.verdict input[type=radio]{margin:0 .3rem 0 0}
form.verdict .more{display:none;gap:.3rem;margin-top:.35rem}
form.live.touched .more,form.live:has(:checked) .more{display:flex}
form.verdict .more input{flex:1;min-width:0;font:inherit;padding:.1rem .4rem;border:1px solid var(--edge);
border-radius:4px}
form.verdict .more button{font:inherit;border:0;background:none;color:var(--link);cursor:pointer;
text-decoration:underline;visibility:hidden}
form.touched .more button{visibility:visible}
#verdicts{position:sticky;bottom:0;background:var(--ground);border-top:2px solid var(--button);padding:.7rem 0;
display:flex;gap:1rem;flex-wrap:wrap;align-items:center}
#verdicts[hidden]{display:none}#verdicts label{font-size:.85rem}
#verdicts output{flex:1;min-width:14rem;font-size:.85rem}
#verdicts button{font:inherit;font-weight:600;
background:var(--button);color:var(--on-button);border:0;border-radius:4px;
padding:.35rem 1rem;cursor:pointer}
@media(max-width:44rem){.cluster{grid-template-columns:1fr}.stays{position:static}}
@media print{#verdicts,form.verdict .more{display:none!important}.cluster,article{break-inside:avoid}}
"""

_INTRODUCTION = """
<p>The least certain come first. If a cluster holds two works, or a pair below is one work, choose a verdict, save the
verdicts, and name the file in the recipe (<code>dedup: {verdicts: verdicts}</code>): the next build follows it.</p>
<noscript><p>Verdicts can be saved only where the browser runs the page's own script.</p></noscript>
"""

_BAR = """
<div id=verdicts hidden role=region aria-label='Verdicts'><button type=button>Save verdicts</button>
<label>Add to the verdicts of a file:
<input type=file accept='.csv,text/csv'></label><output aria-live=polite></output></div>
"""


def section(selection: ReviewSelection, facts: Facts, thumbnails: Thumbnails) -> str:
    """The section as HTML; empty where there is nothing to show.

    facts: rows by record_id of all that are shown, each with sha256, title, artist, source, source_url, format, and
    what why_it_stayed asks for; what is not known is null. thumbnails: by SHA-256, of those that may be seen.
    """
    if not selection.clusters and not selection.apart:
        return ""
    parts = ["<section><h2>Copies</h2>", _INTRODUCTION, _legend(), "<div class=clusters>"]
    parts += [_cluster(cluster, facts, thumbnails) for cluster in selection.clusters]
    parts += ["</div>", _more(selection.more_clusters, "cluster")]
    if selection.apart:
        parts += ["<h2>Closest pairs that were not merged</h2><div class=apart>"]
        parts += [_apart(pair, facts, thumbnails) for pair in selection.apart]
        parts += ["</div>", _more(selection.more_apart, "pair of works", "pairs of works")]
    return "\n".join([*parts, _BAR, "</section>"])


def _legend() -> str:
    relations = [f"<tr><td>{relation}<td>{escape(MEANING[relation])}" for relation in Relation]
    words = [f"<tr><td>{word}<td>{_VERDICT_MEANING[word]}" for word in VERDICTS]
    of_verdicts, of_relations = ("verdict", "what the build does"), ("relation", "what the comparison found")
    return (
        "<details><summary>What the words mean</summary>"
        f"{wide_table('Verdicts', of_verdicts, words, of_verdicts)}"
        f"{wide_table('Relations', of_relations, relations, of_relations)}</details>"
    )


def _cluster(cluster: Cluster, facts: Facts, thumbnails: Thumbnails) -> str:
    others = [facts[pair.a] for pair in cluster.copies]
    among, later = " (of those shown)" if cluster.more else "", ""
    if cluster.later:
        meaning = escape(WHY[Reason(cluster.later)])
        later = f"<br>A later stage dropped it: <span title='{meaning}'>{escape(cluster.later)}</span>"
    copies = "".join(
        f"<article class=copy><h3>Dropped as a copy</h3>{figure(pair.a, facts, thumbnails)}{_pair_facts(pair)}"
        # equal bytes are one file, whatever the verdict
        f"{'' if pair.relation == Relation.SAME_FILE else _form(pair)}</article>"
        for pair in cluster.copies
    )
    return (
        f"<section class='cluster{' wide' * (len(cluster.copies) > 1)}'><div class=stays>"
        f"<h3>Kept</h3>{figure(cluster.stays, facts, thumbnails)}"
        f"<p class=found>Why: {outside(why_it_stayed(facts[cluster.stays], others))}{among}.{later}</p></div>"
        f"<div><div class=copies>{copies}</div>{_more(cluster.more, 'copy', 'copies')}</div></section>"
    )


def _apart(pair: RecordPair, facts: Facts, thumbnails: Thumbnails) -> str:
    pictures = "".join(figure(name, facts, thumbnails) for name in (pair.a, pair.b))
    note = ""
    if pair.relation in _COPIES and not pair.verdict:
        note = (
            "<br><span class=quiet>Not merged: the recipe does not drop this relation, or doubts about the two works "
            "weigh more.</span>"
        )
    return f"<article><div class=side>{pictures}</div>{_pair_facts(pair, note)}{_form(pair)}</article>"


def figure(record_id: str, facts: Facts, thumbnails: Thumbnails, note: str = "") -> str:
    """A record's picture with what is known of it, as HTML; without a thumbnail its picture may not be shown. note: a
    text below. facts, thumbnails: as of `section`.
    """
    row = facts[record_id]
    named = [str(row[name]) for name in ("artist", "title") if row[name]]
    size = [
        f"{row['width_px']} × {row['height_px']} px" if row["width_px"] and row["height_px"] else "",
        f"{row['bytes'] / 1000:,.0f} kB" if row["bytes"] else "",
        str(row["format"] or ""),
    ]
    lines = [
        f"<code>{record_name(record_id)}</code>",
        ", ".join(outside(text, CAPTION) for text in named),
        escape(", ".join(filter(None, size))),
        f"<span class=quiet>{outside(str(row['rights_uri'] or '').removeprefix('https://'), CAPTION)}</span>",
        outside(note, CAPTION) if note else "",
        _source(row),
    ]
    label = ": ".join(filter(None, [record_id, ", ".join(named)[:LONGEST]]))
    return picture(thumbnails.get(row["sha256"]), (), label, "<br>".join(filter(None, lines)))


def _source(row: Mapping[str, Any]) -> str:
    """The source's name, as a link to its page where that is one on the web: nothing else becomes a link."""
    name, url = outside(str(row["source"] or "source")), str(row["source_url"] or "")
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        if parts.scheme in {"http", "https"} and parts.netloc:
            return f"<a href='{escape(url)}' target=_blank rel='noopener noreferrer'>{name}</a>"
    return name


def _pair_facts(pair: RecordPair, note: str = "") -> str:
    """What was found: relation, distance, score; the ledger's words where the two were never compared."""
    findings, tag = [pair.detail or "never compared"], ""
    if pair.relation is not None:
        findings = [
            "" if pair.distance_bits is None else f"{counted(pair.distance_bits, 'bit')} apart",
            "" if pair.score is None else f"score {pair.score:.3f}",
            f"joined {pair.detail}" if (pair.detail or "").startswith("through ") else "",
        ]
        meaning = MEANING[Relation(pair.relation)]
        tag = f"<span class=tag title='{escape(meaning)}'>{escape(pair.relation)}</span> "
    judged = f"<br>Verdict: <b>{escape(pair.verdict)}</b>" if pair.verdict else ""
    return f"<p class=found>{tag}{outside(', '.join(filter(None, findings)))}{judged}{note}</p>"


def _form(pair: RecordPair) -> str:
    """Three choices about a pair, a < b."""
    a, b = (escape(name) for name in sorted((pair.a, pair.b)))
    both = " and ".join(map(record_name, sorted((pair.a, pair.b))))
    radios = "".join(
        f"<label title='{_VERDICT_MEANING[word]}'><input type=radio name=verdict "
        f"value={word}{' checked' * (word == pair.verdict)}>{word}</label>"
        for word in VERDICTS
    )
    return (
        f"<form class=verdict data-a='{a}' data-b='{b}' autocomplete=off>"
        f"<fieldset><legend>What are {both} to each other?</legend>{radios}</fieldset>"
        f"<div class=more><input name=note placeholder='note' aria-label='Note on {a} and {b}'>"
        f"<button type=reset>undo</button></div></form>"
    )


def _more(count: int, one: str, many: str = "") -> str:
    """A line on what the page leaves out: "... and 3 more copies"."""
    return f"<p class=quiet>...{and_more(count)} {one if count == 1 else many or one + 's'}.</p>" if count else ""


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
"""Content-Security-Policy: a browser itself refuses what comes from elsewhere, and any script but this one."""
