// npm run bench -- [--quick] [--only NAME]… [--json] [--write] [--profile FOLDER]
//
//   --quick   some minutes; measures what misses a target by more than a fifth again, up to twice, when all the others are measured,
//             and ends with 1 when it misses it each time
//   --only    one of the measurements, by the name of its file in measurements/
//   --json    prints one JSON object instead of tables
//   --write   of a complete run keeps the results in results.json and costs.json, and makes of them results.md, the tables of the README,
//             docs/performance.md and docs/scaling.md, and docs/images/throughput.svg; a run that ended early goes on where it stopped,
//             as long as the commit and the machine are the same
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
  'capacity',
  'customers',
  'faults',
  'exits',
];

/** Not worth their time in CI: they take minutes, or have no target. */
const NOT_QUICK = new Set(['soak', 'faults', 'exits', 'service', 'capacity']);

/** How often the quick form measures again what misses a target. A full run shows what it measured, and so measures once. */
const QUICK_REPEATS = 2;

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

if (options.write && (options.quick || options.only)) fail('--write takes a complete run, without --quick and --only');

if (options.profile !== undefined) process.env.BENCH_PROFILES = options.profile;
const startedAt = performance.now();
prepare();
const seconds = { build: secondsSince(startedAt) };
const unfinished = options.write ? await import('./unfinished-run.js').then(({ openRun }) => openRun()) : undefined;
const measured = unfinished?.measured ?? [];
for (const name of names.slice(measured.length)) {
  measured.push(await measureOne(name));
  unfinished?.keep();
}
await finish(options.quick ? await measureMissed(measured) : measured);

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
  const beganAt = performance.now();
  const { title, note, measure } = await import(`./measurements/${name}.js`);
  const { tablesOf } = await import('./report.js');
  const progress = (step) => process.stderr.write(`${name}: ${step}\n`);
  const result = await measure({ isQuick: options.quick, progress });
  const measurement = { title, note, ...result };
  if (!options.json) console.log(`## ${title}\n\n${note}\n\n${tablesOf(result)}\n`);
  seconds[name] = (seconds[name] ?? 0) + secondsSince(beganAt);
  return { name, ...measurement };
}

async function measureMissed(measurements) {
  const { measureMissedAgain } = await import('./targets.js');
  const again = (name) => {
    process.stderr.write(`${name}: missed a target, so again\n`);
    return measureOne(name);
  };
  return measureMissedAgain(measurements, again, QUICK_REPEATS);
}

async function finish(measurements) {
  const { targetTable } = await import('./report.js');
  const { describeMachine } = await import('./machine.js');
  const machine = describeMachine();
  const targets = measurements.flatMap((measurement) => measurement.targets);
  if (options.json) console.log(JSON.stringify({ machine, measurements }, null, 2));
  else console.log(`## Targets\n\n${targetTable(targets)}\n\n${machine}`);
  // At the end, so that the pages never show a part of one run beside a part of another.
  if (options.write) await import('./write-up.js').then(({ writeRun }) => writeRun(machine, measurements));
  unfinished?.remove();
  const each = Object.entries(seconds).map(([what, took]) => `${what} ${took} s`);
  process.stderr.write(`${secondsSince(startedAt)} s in all: ${each.join(', ')}\n`);
  if (!options.quick) return;
  const missed = targets.filter(({ isNear }) => !isNear);
  // These lines come last, because a log may keep only the end of the output.
  for (const { what, limit, measured } of missed)
    console.error(`missed by more than a fifth: ${what}: ${measured}, target ${limit}`);
  if (missed.length > 0) process.exitCode = 1;
}

function secondsSince(moment) {
  return Math.round((performance.now() - moment) / 1_000);
}

function fail(message) {
  console.error(`bench: ${message}`);
  process.exit(2);
}
