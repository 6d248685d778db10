// Puts results between the marks that docs/performance.md has for each measurement, and leaves the words around them.
import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);

/** @param {Record<string, string>} sections by the name of the mark */
export function writeUp(sections) {
  let text = readFileSync(DOCUMENT, 'utf8');
  for (const [name, section] of Object.entries(sections)) text = replaceBetweenMarks(text, name, section);
  writeFileSync(DOCUMENT, text);
}

function replaceBetweenMarks(text, name, section) {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  if (from < start.length || to === -1) throw new Error(`docs/performance.md has no marks for ${name}`);
  return `${text.slice(0, from)}\n${section}\n\n${text.slice(to)}`;
}
