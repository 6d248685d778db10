// npm run bench -- [--quick] [--only NAME]… [--json] [--chart]
//
//   --quick   under a minute; ends with 1 when a ratio misses its target by more than half, which no noise explains
//   --only    one of the measurements, by the name of its file in measurements/
//   --json    prints one JSON object instead of tables
//   --chart   draws the throughput to docs/images/throughput.svg
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MEASUREMENTS = [
  'throughput',
  'link',
  'call',
  'event-loop',
  'burst',
  'memory',
  'soak',
  'one-event',
  'import',
  'installed',
  'faults',
  'exits',
];

/** Not worth their time in CI: they have no ratio as a target. */
const NOT_QUICK = new Set(['soak', 'faults', 'exits']);

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    chart: { type: 'boolean', default: false },
  },
});

const names = options.only ?? MEASUREMENTS.filter((name) => !(options.quick && NOT_QUICK.has(name)));
const unknown = names.find((name) => !MEASUREMENTS.includes(name));
if (unknown !== undefined) fail(`no measurement is called ${unknown}; there are ${MEASUREMENTS.join(', ')}`);

prepare();
const results = await measureAll();
await show(results);
if (options.quick && results.some(({ targets }) => targets.some(({ isFarOff }) => isFarOff))) process.exitCode = 1;

/** The peers are installed on first use, and the package is built, so that what is measured is what a user gets. */
function prepare() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const npm = (...args) => execFileSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  const isInstalled = existsSync(new URL('node_modules/.package-lock.json', import.meta.url));
  if (!isInstalled) npm('ci', '--prefix', 'bench', '--ignore-scripts');
  npm('run', '--silent', 'build');
}

async function measureAll() {
  const measured = [];
  for (const name of names) {
    const { title, note, measure } = await import(`./measurements/${name}.js`);
    const progress = (step) => process.stderr.write(`${name}: ${step}\n`);
    measured.push({ name, title, note, ...(await measure({ isQuick: options.quick, progress })) });
  }
  return measured;
}

async function show(measured) {
  const { printMeasurement, printTargets } = await import('./report.js');
  const machine = await import('./machine.js').then(({ describeMachine }) => describeMachine());
  if (options.json) console.log(JSON.stringify({ machine, measurements: measured }, null, 2));
  else {
    console.log(machine);
    for (const measurement of measured) printMeasurement(measurement);
    printTargets(measured.flatMap(({ targets }) => targets));
  }
  const bars = measured.find(({ chart }) => chart)?.chart;
  if (options.chart && bars) await import('./chart.js').then(({ drawChart }) => drawChart(bars));
}

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(2);
}
