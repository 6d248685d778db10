// npm run bench -- [--quick] [--only NAME]… [--json] [--write]
//
//   --quick   under a minute; ends with 1 when a ratio misses its target by more than half, which no noise explains
//   --only    one of the measurements, by the name of its file in measurements/
//   --json    prints one JSON object instead of tables
//   --write   puts the results into docs/performance.md, and the throughput into docs/images/throughput.svg
//
// measurements/   one file each: `inClient` runs in the client's own process, `measure` here, and says what came out
// clients/        one adapter each: `track`, `room`, `finish`, `close`
// one-event/      the scripts that send one event
// rows.js         who is measured, and how each is set up
// sink.js         the collector
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
    write: { type: 'boolean', default: false },
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
  const npm = (...args) => execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
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
  const { tablesOf, targetTable } = await import('./report.js');
  const { describeMachine } = await import('./machine.js');
  const machine = describeMachine();
  const targets = measured.flatMap((measurement) => measurement.targets);
  if (options.json) {
    console.log(JSON.stringify({ machine, measurements: measured }, null, 2));
  } else {
    console.log(machine);
    for (const { title, note, tables } of measured) console.log(`\n## ${title}\n\n${note}\n\n${tablesOf({ tables })}`);
    if (targets.length > 0) console.log(`\n## Targets\n\n${targetTable(targets)}`);
  }
  if (options.write) await write(measured, { machine, targets: targetTable(targets) });
}

/** The machine and the targets belong to a whole run. */
async function write(measured, whole) {
  const { tablesOf } = await import('./report.js');
  const { writeUp } = await import('./write-up.js');
  const sections = Object.fromEntries(measured.map((measurement) => [measurement.name, tablesOf(measurement)]));
  writeUp(options.only ? sections : { ...sections, ...whole });
  const bars = measured.find(({ chart }) => chart)?.chart;
  if (bars) await import('./chart.js').then(({ drawChart }) => drawChart(bars));
}

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(2);
}
