// Results as Markdown, for the terminal and for the pages.

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const count = (value) => (Number.isFinite(value) ? NUMBER.format(value) : '–');
export const fixed = (value, digits = 2) => (Number.isFinite(value) ? value.toFixed(digits) : '–');

export const tablesOf = ({ tables }) => tables.map(({ head, body }) => markdown(head, body)).join('\n\n');

export function targetTable(targets) {
  const body = targets.map(({ what, limit, measured, isMet }) => [what, limit, measured, isMet ? 'met' : 'NOT MET']);
  return markdown(['', 'target', 'measured', ''], body);
}

export function markdown(head, body) {
  const widths = head.map((name, column) => Math.max(3, name.length, ...body.map((cells) => cells[column].length)));
  const line = (cells) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

/** A table of words, which a page shows from the left. */
export function textTable(head, body) {
  const line = (cells) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}
