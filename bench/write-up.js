// Puts results between the marks that a page has for each of them, and leaves the words around them.
import { readFileSync, writeFileSync } from 'node:fs';

const PERFORMANCE = new URL('../docs/performance.md', import.meta.url);

/** @param {Record<string, string>} sections by the name of the mark */
export function writeUp(sections, page = PERFORMANCE) {
  let text = readFileSync(page, 'utf8');
  for (const [name, section] of Object.entries(sections)) text = replaceBetweenMarks(text, name, section);
  writeFileSync(page, text);
}

function replaceBetweenMarks(text, name, section) {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  if (from < start.length || to === -1) throw new Error(`The page has no marks for ${name}`);
  return `${text.slice(0, from)}\n${section}\n\n${text.slice(to)}`;
}
