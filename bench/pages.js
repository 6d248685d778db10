// Every page that shows what was measured, made of one set of results, so that no two pages contradict each other.
import { comparisonTable, headlineTable, missedLine } from './headline.js';
import { markdown, targetTable } from './report.js';
import { scalingSections } from './scaling.js';

/**
 * By the path of the page, the sections between its marks.
 *
 * @param results what results.json holds
 * @param costs what costs.json holds
 */
export const sectionsOf = (results, costs) => ({
  'README.md': { comparison: comparisonTable(results) },
  'docs/performance.md': {
    headline: headlineTable(results, costs),
    machine: results.machine,
    missed: missedLine(results),
  },
  'docs/scaling.md': scalingSections(costs),
});

/** bench/results.md: every table and every target. */
export function resultsPage({ machine, measurements }) {
  const all = Object.values(measurements);
  const parts = [
    '# Results',
    'Made by `npm run bench -- --write` from `bench/results.json`; do not edit. [README.md](README.md) says how each was measured and why the numbers are as they are.',
    machine,
    '## Targets',
    targetTable(all.flatMap(({ targets }) => targets)),
    ...all.flatMap(({ title, note, tables }) => [
      `## ${title}`,
      `${note[0].toUpperCase()}${note.slice(1)}.`,
      ...tables.map(({ head, body }) => markdown(head, body)),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The page with each section between its marks, and the words around them as they were. */
export function filledIn(page, sections) {
  return Object.entries(sections).reduce((text, [name, section]) => between(text, name, section), page);
}

function between(text, name, section) {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start) + start.length, text.indexOf(end)];
  if (from < start.length || to === -1) throw new Error(`The page has no marks for ${name}`);
  return `${text.slice(0, from)}\n${section}\n\n${text.slice(to)}`;
}
