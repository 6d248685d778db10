// Puts results into results.json and costs.json, and from there into every page that shows them.
import { readFileSync, writeFileSync } from 'node:fs';
import { drawChart } from './chart.js';
import { readCosts, writeCosts } from './costs.js';
import { filledIn, resultsPage, sectionsOf } from './pages.js';

const ROOT = new URL('../', import.meta.url);
const RESULTS = new URL('results.json', import.meta.url);

/** Puts in one measurement in place of what it measured before. */
export function writeMeasurement(name, { costs = [], ...measurement }) {
  const results = readResults();
  results.measurements[name] = measurement;
  if (costs.length > 0) writeCosts(costs);
  writeResults(results);
}

export function writeMachine(machine) {
  writeResults({ ...readResults(), machine });
}

const readResults = () => JSON.parse(readFileSync(RESULTS, 'utf8'));

function writeResults(results) {
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  writePages(results);
}

export function writePages(results = readResults()) {
  for (const [path, sections] of Object.entries(sectionsOf(results, readCosts()))) {
    const page = new URL(path, ROOT);
    writeFileSync(page, filledIn(readFileSync(page, 'utf8'), sections));
  }
  writeFileSync(new URL('results.md', import.meta.url), resultsPage(results));
  drawChart(results.measurements.throughput.chart);
}
