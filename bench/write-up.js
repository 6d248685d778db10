// Puts results into results.json and costs.json, and from there into every page that shows them.
import { readFileSync, writeFileSync } from 'node:fs';
import { drawChart } from './chart.js';
import { readCosts, writeCosts } from './costs.js';
import { filledIn, resultsPage, sectionsOf } from './pages.js';

const ROOT = new URL('../', import.meta.url);
const RESULTS = new URL('results.json', import.meta.url);

/** Puts a complete run in place of the one before. */
export function writeRun(machine, measured) {
  const entries = measured.map(({ name, costs = [], ...measurement }) => {
    if (costs.length > 0) writeCosts(costs);
    return [name, measurement];
  });
  const results = { machine, measurements: Object.fromEntries(entries) };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  writePages(results);
}

const readResults = () => JSON.parse(readFileSync(RESULTS, 'utf8'));

export function writePages(results = readResults()) {
  for (const [path, sections] of Object.entries(sectionsOf(results, readCosts()))) {
    const page = new URL(path, ROOT);
    writeFileSync(page, filledIn(readFileSync(page, 'utf8'), sections));
  }
  writeFileSync(new URL('results.md', import.meta.url), resultsPage(results));
  drawChart(results.measurements.throughput.chart);
}
