// npm run bench -- [--quick] [--only NAME]… [--json] [--write] [--profile FOLDER]
//
//   --quick   two minutes; ends with 1 when a ratio misses its target by more than half, which no noise explains
//   --only    one of the measurements, by the name of its file in measurements/
//   --json    prints one JSON object instead of tables
//   --write   puts the results into docs/performance.md, and the throughput into docs/images/throughput.svg
//   --profile FOLDER keeps a CPU profile of every client there; the numbers are worth less then
//
// measurements/   one file each: `inClient` runs in the client's own process, `measure` here, and says what came out
// clients/        one adapter each: `track`, `room`, `finish`, `close`
// one-event/      the scripts that send one event
// rows.js         who is measured, and how each is set up
// sink.js         the collector of the clients
// servers/        the collectors that are measured themselves
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
  'journal',
  'channels',
  'one-event',
  'import',
  'installed',
  'collector',
  'deliveries',
  'service',
  'faults',
  'exits',
];

/** Not worth their time in CI: they take minutes, or have no ratio as a target. */
const NOT_QUICK = new Set(['soak', 'faults', 'exits', 'service']);

/** How often a measurement of the quick form may be far off before it is taken for true. */
const QUICK_TRIES = 3;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});

const names = options.only ?? MEASUREMENTS.filter((name) => !(options.quick && NOT_QUICK.has(name)));
const unknown = names.find((name) => !MEASUREMENTS.includes(name));
if (unknown !== undefined) fail(`no measurement is called ${unknown}; there are ${MEASUREMENTS.join(', ')}`);

if (options.profile !== undefined) process.env.BENCH_PROFILES = options.profile;
prepare();
const measured = [];
for (const name of names) measured.push(await measureOne(name));
await finish(measured);

/** The peers are installed on first use, and the package is built, so that what is measured is what a user gets. */
function prepare() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const npm = (...args) => execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const isInstalled = existsSync(new URL('node_modules/.package-lock.json', import.meta.url));
  if (!isInstalled) npm('ci', '--prefix', 'bench', '--ignore-scripts');
  npm('run', '--silent', 'build');
}

/** Shows each as soon as it is there: all together take a while. */
async function measureOne(name) {
  const { title, note, measure } = await import(`./measurements/${name}.js`);
  const { tablesOf } = await import('./report.js');
  const progress = (step) => process.stderr.write(`${name}: ${step}\n`);
  const result = await measureAgain(() => measure({ isQuick: options.quick, progress }), progress);
  const tables = tablesOf(result);
  if (!options.json) console.log(`## ${title}\n\n${note}\n\n${tables}\n`);
  if (options.write) await write({ [name]: tables }, result.chart);
  return { name, title, note, ...result };
}

/** What is far off is measured anew: what else a machine has to do passes, and a regression does not. */
async function measureAgain(measure, progress) {
  const isFarOff = ({ targets }) => options.quick && targets.some((target) => target.isFarOff);
  let result = await measure();
  for (let tries = 1; tries < QUICK_TRIES && isFarOff(result); tries++) {
    progress('far off, so once more');
    result = await measure();
  }
  return result;
}

async function finish(measurements) {
  const { targetTable } = await import('./report.js');
  const { describeMachine } = await import('./machine.js');
  const machine = describeMachine();
  const targets = measurements.flatMap((measurement) => measurement.targets);
  if (options.json) console.log(JSON.stringify({ machine, measurements }, null, 2));
  else console.log(`## Targets\n\n${targetTable(targets)}\n\n${machine}`);
  // The machine and the targets belong to a whole run.
  if (options.write && !options.only) await write({ machine, targets: targetTable(targets) });
  if (options.quick && targets.some(({ isFarOff }) => isFarOff)) process.exitCode = 1;
}

async function write(sections, bars) {
  const { writeUp } = await import('./write-up.js');
  writeUp(sections);
  if (bars) await import('./chart.js').then(({ drawChart }) => drawChart(bars));
}

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(2);
}
