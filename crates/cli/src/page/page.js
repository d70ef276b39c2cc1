'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const content = document.getElementById('content');

// An element; strings among its children are text, never markup.
function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const number = (n) => Number(n).toLocaleString('en');
const counted = (n, what) => `${number(n)} ${what}${Number(n) === 1 ? '' : 's'}`;
const share = (a, b) => (b ? (100 * a / b).toFixed(1) + ' %' : '–');
const bar = (a, b) => el('span', { class: 'bar', title: share(a, b) }, el('i', { style: `width:${b ? 100 * a / b : 0}%` }));
const link = (to, text) => el('a', { href: '#' + to }, text);
const place = (file, line) => (data.files.some((f) => f.name === file && f.source)
  ? link(`source/${encodeURIComponent(file)}/${line}`, `${file}:${line}`) : `${file}:${line}`);

function table(heads, rows) {
  const cell = (tag, value, i) => el(tag, heads[i].startsWith('#') ? { class: 'number' } : {}, value);
  return el('table', {},
    el('thead', {}, el('tr', {}, heads.map((head, i) => cell('th', head.replace('#', ''), i)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, row.map((value, i) => cell('td', value, i))))));
}

const linesOf = (file) => [file.lines.filter((l) => l[1]).length, file.lines.length];
function sidesOf(file) {
  const sides = file.branches.flatMap((b) => b[1]);
  return [sides.filter(Boolean).length, sides.length];
}
const bugs = data.bugs.filter((b) => b.counts_as === 'failed');
const others = data.bugs.filter((b) => b.counts_as !== 'failed' && b.counts_as !== 'assumed_away');

// The verdict in a sentence: what was found, and how much of the program's paths is known.
function verdict(a) {
  const found = bugs.length ? `${counted(bugs.length, 'bug')} on ${counted(a.paths.failed || 0, 'path')}. ` : 'No bug was found. ';
  const rest = {
    incomplete: 'Not every path is explored.',
    unsupported: 'Some paths ended at something that is not modelled.',
    internal: 'Cleave met a state that cannot be: nothing here can be trusted. Please report it.',
  };
  const explored = bugs.length ? 'Every path is explored to its end or to its first bug.' : 'Every path is explored.';
  const open = (a.not_explored || []).length ? 'Not every path is explored.' : explored;
  return found + (rest[a.verdict] || open);
}

// The bugs, each a line that leads to its page.
function bugList() {
  if (!bugs.length) return [];
  const rows = bugs.map((bug, i) => {
    const frame = bug.trace.find((f) => data.files.some((s) => s.name === f.file && s.source)) || bug.trace[0];
    return [link(`bugs/${i}`, bug.message), bug.kind, frame && frame.file ? place(frame.file, frame.line) : bug.place, number(bug.paths), inputsOf(bug.inputs)];
  });
  return [el('h2', {}, 'Bugs'), table(['bug', 'kind', 'place', '#paths', 'input that shows it'], rows)];
}

// What is open, and the command that goes on.
function openList(a) {
  const left = (a.not_explored || []).map((gap) => [gap.kind, number(gap.count), gap.what, gap.way_out]);
  return left.length ? [el('h2', {}, 'What is not explored, and what to do next'), table(['what', '#count', 'why', 'what to do'], left)] : [];
}

// Divides a rectangle among items of [weight, node], the larger ones first; each node gets its place in percent.
function tiled(items, x, y, width, height) {
  if (!items.length) return;
  if (items.length === 1) {
    items[0][1].setAttribute('style', `left:${x}%;top:${y}%;width:${width}%;height:${height}%;` + items[0][1].getAttribute('style'));
    return;
  }
  const all = items.reduce((sum, item) => sum + item[0], 0);
  let [at, sum] = [1, items[0][0]];
  while (at < items.length - 1 && sum + items[at][0] / 2 < all / 2) sum += items[at++][0];
  const part = sum / all;
  // The picture is some four times as wide as it is high.
  if (width * 4 > height) {
    tiled(items.slice(0, at), x, y, width * part, height);
    tiled(items.slice(at), x + width * part, y, width * (1 - part), height);
  } else {
    tiled(items.slice(0, at), x, y, width, height * part);
    tiled(items.slice(at), x, y + height * part, width, height * (1 - part));
  }
}

// Coverage as a picture: a tile a file, or a function of an only file, as large as its lines, green as far as they are covered.
function treemap() {
  const of = (file) => [file.name.split('/').pop(), file.source ? `#source/${encodeURIComponent(file.name)}` : null, ...linesOf(file)];
  const within = (f) => [f.name, data.files[0].source ? `#source/${encodeURIComponent(f.file)}/${f.line}` : null, f.lines_covered, f.lines];
  const parts = data.files.length > 1 ? data.files.map(of) : data.functions.map(within);
  const tiles = parts.filter((part) => part[3] > 0).sort((a, b) => b[3] - a[3]).map(([name, to, covered, all]) => {
    const attributes = { class: 'tile', title: `${name}: ${covered} of ${counted(all, 'line')} (${share(covered, all)})`,
      style: `--share:${(100 * covered / all).toFixed(0)}%` };
    return [all, to ? el('a', { href: to, ...attributes }, name) : el('span', attributes, name)];
  });
  tiled(tiles, 0, 0, 100, 100);
  return el('div', { class: 'treemap', id: 'treemap' }, tiles.map((tile) => tile[1]));
}

function summary() {
  const a = data.account;
  const card = (value, what) => el('div', { class: 'card' }, el('b', {}, value), el('span', {}, what));
  const paths = (a.paths.completed || 0) + (a.paths.failed || 0) + (a.paths.unsupported || 0) + (a.paths.suppressed || 0);
  const counts = (kind) => ({ covered: a.coverage[kind + '_covered'], total: a.coverage[kind] });
  const cards = [card(number(paths), paths === 1 ? 'path' : 'paths'), card(number(bugs.length), bugs.length === 1 ? 'bug' : 'bugs'),
    ...[['lines', 'lines'], ['branches', 'branch sides'], ['functions', 'functions']].map(([kind, what]) =>
      card(share(counts(kind).covered, counts(kind).total), `${what}: ${number(counts(kind).covered)} of ${number(counts(kind).total)}`)),
    card(number(a.open_regions || 0), a.open_regions === 1 ? 'open region' : 'open regions'), card((a.wall_s || 0).toFixed(1) + ' s', counted(a.workers || 0, 'worker'))];
  const account = Object.entries(a.paths).filter(([, n]) => n > 0).map(([kind, n]) => [kind.replace('_', ' '), number(n)]);
  const addresses = Object.entries(a.addresses || {}).filter(([, n]) => n > 0).map(([place, n]) => [place, number(n)]);
  const layers = Object.entries(a.answered_by || {}).filter(([, n]) => n > 0).sort((x, y) => y[1] - x[1]).map(([name, n]) => [name, number(n)]);
  const lines = overTime('lines');
  return [el('p', { class: 'verdict ' + (bugs.length ? 'bad' : '') }, verdict(a)), ...bugList(), ...openList(a), el('div', { class: 'cards' }, cards),
    data.files.length ? [el('h2', {}, 'Coverage'), el('p', { class: 'soft' }, `A tile is a ${data.files.length > 1 ? 'source file' : 'function'}, as large as its lines; the green part is covered.`), treemap()] : null,
    lines.length > 2 ? [el('p', { class: 'soft' }, 'Lines covered over time'), chart(lines, 120)] : null,
    data.splits.length ? [el('h2', {}, 'Where the paths come from'), splitTable(8), el('p', {}, link('paths', 'All places at which paths part'))] : null,
    el('h2', {}, 'How the paths ended'), table(['end', '#paths'], account),
    addresses.length ? [el('h2', {}, 'Where the outcome depends on the addresses of objects'), table(['line', '#paths'], addresses)] : null,
    layers.length ? el('details', {}, el('summary', {}, 'What answered the queries to the solver'), table(['layer', '#queries'], layers)) : null].flat();
}

function coverage() {
  const folders = new Map();
  for (const file of data.files) {
    const folder = file.name.includes('/') ? file.name.slice(0, file.name.lastIndexOf('/')) : '.';
    const sum = folders.get(folder) || [0, 0];
    const [covered, all] = linesOf(file);
    folders.set(folder, [sum[0] + covered, sum[1] + all]);
  }
  const files = data.files.map((file) => {
    const [lines, sides] = [linesOf(file), sidesOf(file)];
    return [file.source ? link(`source/${encodeURIComponent(file.name)}`, file.name) : file.name, bar(...lines),
      share(...lines), `${lines[0]}/${lines[1]}`, `${sides[0]}/${sides[1]}`];
  });
  const functions = data.functions.map((f) => [f.name, place(f.file, f.line), bar(f.lines_covered, f.lines), `${f.lines_covered}/${f.lines}`]);
  return [folders.size > 1 ? el('h2', {}, 'Folders') : null,
    folders.size > 1 ? table(['folder', '', '#lines'], [...folders].map(([name, [a, b]]) => [name, bar(a, b), `${a}/${b}`])) : null,
    el('h2', {}, 'Files'), table(['file', '', '#', '#lines', '#branch sides'], files),
    el('h2', {}, 'Functions'), table(['function', 'defined', '', '#lines'], functions)];
}

function source(name, at) {
  const file = data.files.find((f) => f.name === name);
  if (!file || !file.source) return [el('p', {}, `The source of ${name} was not found: cleave report --source DIR names its folder.`)];
  const lines = new Map(file.lines.map(([line, covered, hits]) => [line, [covered, hits]]));
  const open = new Map();
  for (const [line, taken] of file.branches) {
    const some = taken.some(Boolean);
    if (some && !taken.every(Boolean)) open.set(line, (open.get(line) || 0) + taken.filter((t) => !t).length);
  }
  const why = new Map();
  const tell = (line, text) => why.set(line, (why.get(line) || new Set()).add(text));
  for (const [line, text] of file.why) tell(line, `◐ a side is not taken: ${text}`);
  const far = data.account.open_regions ? `not reached so far: ${counted(data.account.open_regions, 'region')} not explored` : 'never reached on any path';
  for (const [line, taken] of file.branches) if (!taken.some(Boolean)) tell(line, `◌ branch ${far}`);
  const rows = file.source.map((text, i) => {
    const line = i + 1;
    const [covered, hits] = lines.get(line) || [null, 0];
    const attributes = { id: 'L' + line };
    const classes = [covered === null ? '' : covered ? 'yes' : 'no', line === at ? 'at' : ''].filter(Boolean);
    if (classes.length) attributes.class = classes.join(' ');
    const count = covered === null ? '' : covered ? (hits ? number(hits) : '+') : '0';
    const sides = open.get(line);
    return el('tr', attributes, el('td', { class: 'number' }, String(line)), el('td', { class: 'number' }, count),
      el('td', { class: 'side', title: sides ? 'sides of branches that no test takes' : '' }, sides ? '◐' + sides : ''),
      el('td', {}, text, [...(why.get(line) || [])].map((t) => el('div', { class: 'why' }, t))));
  });
  const [covered, all] = linesOf(file);
  return [el('h2', {}, name), el('p', { class: 'soft' }, `${covered} of ${all} lines are covered (${share(covered, all)}). The second column: how many of the `
    + `${number(data.followed)} tests shown here execute the line (+ if only others do); ◐: sides of branches that no test takes.`),
  el('div', { class: 'source' }, el('table', {}, el('tbody', {}, rows)))];
}

const inputsOf = (inputs) => el('code', {}, inputs.map(([name, bytes]) => `${name}="${bytes}"`).join('  '));
function excerpt(frame) {
  const file = data.files.find((f) => f.name === frame.file && f.source);
  if (!file) return null;
  const from = Math.max(0, frame.line - 4);
  const rows = file.source.slice(from, frame.line + 3).map((text, i) => el('tr', from + i + 1 === frame.line ? { class: 'no' } : {},
    el('td', { class: 'number' }, String(from + i + 1)), el('td', {}, text)));
  return el('div', { class: 'source' }, el('table', {}, el('tbody', {}, rows)));
}

// Which bytes matter, the smallest input, and the decisions of the path.
function explained(e) {
  const parts = e.input.flatMap(([name, , parts]) => parts.map((p) => [el('code', {}, `${name}[${p.at}]`),
    el('span', { class: p.is === 'free' ? 'good' : p.is === 'unknown' ? 'soft' : 'side' }, p.is), p.text]));
  const step = (s) => [s.line ? place(s.file, s.line) : 'before main', s.function, s.times > 1 ? number(s.times) : '',
    el('code', {}, s.conditions.map((c) => el('div', {}, c)), s.more ? el('div', {}, `… ${counted(s.more, 'more condition')}`) : null)];
  const steps = e.steps.map(step);
  if (e.left_out) steps.splice(40, 0, ['…', `${counted(e.left_out, 'line')} with decisions left out`, '', '']);
  return [parts.length ? el('h4', {}, 'Which bytes matter, the others being as they are') : null,
    parts.length ? table(['byte', '', 'values with which the same bug is at the same place'], parts) : null,
    e.input.length ? el('p', { class: 'soft' }, e.free_together ? 'Free bytes may all change at once.' : 'A free byte may be anything while the others are as they are.') : null,
    e.smallest ? el('p', {}, e.smallest[1] ? 'A smaller input, after a search that was ended early: ' : 'Smallest input found: ', el('code', {}, e.smallest[0])) : null,
    steps.length ? el('details', {}, el('summary', {}, `The decisions of its path, at ${counted(e.steps.length + e.left_out, 'line')}`), table(['place', 'function', '#times', 'what holds since then'], steps)) : null];
}

function bugPage() {
  const shown = (bug) => el('div', { class: 'bug', id: 'bug' + bugs.indexOf(bug) },
    el('h3', {}, bug.message), el('p', { class: 'soft' }, `${bug.kind} at ${bug.place}: ${counted(bug.paths, 'path')}, first test ${bug.test}`),
    bug.trace.length ? excerpt(bug.trace.find((f) => data.files.some((s) => s.name === f.file && s.source)) || bug.trace[0]) : null,
    bug.trace.length ? table(['function', 'arguments', 'place'], bug.trace.map((f) => [f.function, el('code', {}, f.arguments), f.file ? place(f.file, f.line) : ''])) : null,
    bug.inputs.length ? el('p', {}, 'Input: ', inputsOf(bug.inputs)) : null,
    bug.explained ? explained(bug.explained) : bug.counts_as === 'failed' ? el('p', { class: 'soft' }, `cleave explain RUN ${bug.test} tells which bytes matter.`) : null);
  return [el('h2', {}, bugs.length ? 'Bugs' : 'No bugs were found'), bugs.map(shown),
    others.length ? el('h2', {}, 'Not modelled, or suppressed') : null, others.map(shown)];
}

// The places at which most paths part, `most` of them.
function splitTable(most) {
  const text = (file, line) => {
    const found = data.files.find((f) => f.name === file && f.source);
    return found ? el('code', {}, (found.source[line - 1] || '').trim()) : '';
  };
  const all = data.splits.reduce((sum, split) => sum + split[2], 0);
  const rows = data.splits.slice(0, most).map(([file, line, n]) => [file ? place(file, line) : 'unknown', number(n), share(n, all), text(file, line)]);
  return table(['place', '#splits', '#share', 'source'], rows);
}

function splits() {
  const all = data.splits.reduce((sum, split) => sum + split[2], 0);
  return [el('h2', {}, 'Where the paths come from'),
    el('p', { class: 'soft' }, `The ways of ${number(data.splits_of)} tests, of ${number(data.tests_in_all)}, part ${number(all)} times, at these places. `
      + 'A place high up in this table is where a smaller input, an assumption or a model of the function saves most paths.'),
    splitTable(200)];
}

function tests() {
  const body = el('div', {});
  const field = el('input', { type: 'search', placeholder: 'Search: number, kind, message, input', id: 'search' });
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (t) => `${t.id} ${t.kind} ${t.status} ${t.what || ''} ${t.inputs.map((i) => i.join('=')).join(' ')}`.toLowerCase();
    const found = data.tests.filter((t) => { const all = text(t); return words.every((w) => all.includes(w)); });
    body.replaceChildren(el('p', { class: 'soft', id: 'found' }, `${number(found.length)} of the ${number(data.tests.length)} tests shown here; the run has ${number(data.tests_in_all)}`),
      table(['#test', 'kind', '#status', '#depth', '#new', 'what', 'input'], found.slice(0, 500).map((t) => [String(t.id), t.kind,
        t.status === null ? '' : String(t.status), number(t.depth), t.new ? number(t.new) : '', t.what || '', inputsOf(t.inputs)])));
  };
  field.addEventListener('input', show);
  show();
  return [el('p', {}, field), body];
}

// A line through points [x, y].
function drawn(points, mostX, mostY, width, height) {
  const at = ([x, y]) => `${(width * x / (mostX || 1)).toFixed(1)},${(height - (height - 2) * y / (mostY || 1)).toFixed(1)}`;
  const image = el('span', {});
  // Numbers alone.
  image.innerHTML = `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="time"><polyline points="${points.map(at).join(' ')}" fill="none"/></svg>`;
  return image;
}

const ended = () => data.history.reduce((most, m) => Math.max(most, m.at_ms), 1);

// Of each moment the sum over the workers, with what they had done at their last one.
function overTime(what) {
  const [points, last] = [[[0, 0]], new Map()];
  let sum = 0;
  for (const m of data.history) {
    const key = `${m.session}/${m.worker}`;
    sum += m[what] - (last.get(key) || 0);
    last.set(key, m[what]);
    if (points[points.length - 1][0] === m.at_ms) points[points.length - 1][1] = sum;
    else points.push([m.at_ms, sum]);
  }
  return points;
}
const chart = (points, height) => drawn(points, ended(), points[points.length - 1][1], 900, height);

function time() {
  const workers = new Map();
  for (const moment of data.history) {
    const key = `${moment.session}/${moment.worker}`;
    workers.set(key, [...(workers.get(key) || []), moment]);
  }
  const end = ended();
  const seconds = (ms) => (ms / 1000).toFixed(1) + ' s';
  const whole = (what, title) => {
    const points = overTime(what);
    return [el('h2', {}, title), el('p', { class: 'soft' }, `${number(points[points.length - 1][1])} after ${seconds(end)}`), chart(points, 160)];
  };
  const rows = [...workers].map(([key, own]) => {
    const [first, last] = [own[0], own[own.length - 1]];
    const points = own.map((m) => [m.at_ms, m.paths]);
    return [String(last.session), String(last.worker), number(last.paths), number(last.lines), seconds(last.busy_ms), bar(last.solver_ms, last.busy_ms),
      share(last.solver_ms, last.busy_ms), drawn([[first.at_ms, 0], ...points], end, last.paths, 240, 24)];
  });
  if (!rows.length) return [el('p', {}, 'Nothing was noted: no session has ended or lasted a second.')];
  return [...whole('paths', 'Paths over time'), ...whole('lines', 'Lines covered over time'),
    el('h2', {}, 'Workers'), el('p', { class: 'soft' }, 'A worker has a row for each session. Lines: those that its paths were the first to cover. Busy: with a region to explore.'),
    table(['#session', '#worker', '#paths', '#lines', '#busy', 'in the solver', '#', 'paths over time'], rows)];
}

const pages = { summary: ['Summary', summary], coverage: ['Coverage', coverage], bugs: [`Bugs (${bugs.length})`, bugPage], paths: ['Paths', splits], time: ['Time', time], tests: ['Tests', tests] };
function show() {
  const [name, ...rest] = decodeURI(location.hash.slice(1)).split('/');
  const tabs = Object.entries(pages).map(([key, [title]]) => el('a', { href: '#' + key, class: key === (pages[name] ? name : name === 'source' ? 'coverage' : 'summary') ? 'here' : '' }, title));
  document.getElementById('tabs').replaceChildren(...tabs);
  if (name === 'source') {
    const line = Number(rest[1]) || 0;
    content.replaceChildren(...source(decodeURIComponent(rest[0] || ''), line).flat().filter(Boolean));
    const row = document.getElementById('L' + line);
    if (row) row.scrollIntoView({ block: 'center' });
  } else {
    content.replaceChildren(...(pages[name] || pages.summary)[1]().flat().filter(Boolean));
    const bug = name === 'bugs' && rest[0] ? document.getElementById('bug' + rest[0]) : null;
    if (bug) bug.scrollIntoView();
    else window.scrollTo(0, 0);
  }
}
document.getElementById('what').textContent = [data.program, ...data.arguments].join(' ');
document.title = 'Cleave: ' + data.program.split('/').pop();
window.addEventListener('hashchange', show);
show();
