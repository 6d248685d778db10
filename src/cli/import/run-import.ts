import type { Readable } from 'node:stream';
import { formatCount } from '../../base/text/plural.js';
import { CliError, unusable } from '../cli-error.js';
import { type Connection, type ConnectionOptions, connectionOf } from '../options/connection.js';
import { STANDARD_INPUT } from '../options/file.js';
import { quietClient } from '../options/quiet-client.js';
import { keepApart } from '../options/same-file.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Checkpoint, filesBeside, lockCheckpoint, readCheckpoint } from './checkpoint.js';
import { checkCsvFlags } from './csv-flags.js';
import { ImportRun } from './import-run.js';
import { type Input, inputOf, stampsOf } from './input.js';
import { showMeter } from './meter.js';
import type { TimestampUnit } from './read-timestamp.js';
import { differenceOf, ENDPOINT, type RowOptions, type Settings, settingsOf, WRITE_KEY } from './settings.js';
import { printSummary } from './summary.js';
import { zoneOf } from './zone.js';

export interface ImportOptions extends ConnectionOptions, RowOptions {
  readonly format?: 'ndjson' | 'csv' | undefined;
  readonly timestampUnit?: TimestampUnit | undefined;
  readonly allowNow?: boolean | undefined;
  /** The most rows per second. @default unlimited */
  readonly rate?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly checkpoint?: string | undefined;
  readonly resume?: boolean | undefined;
  /** Send everything, even if an earlier import has a checkpoint. @default false */
  readonly restart?: boolean | undefined;
  readonly gzip?: boolean | undefined;
}

/** The most bytes that may wait in memory. Several batches fit, so that one is ready while another is in flight. */
const QUEUE_BYTES = 8 * 1024 * 1024;

/** The unused connection of a dry run. */
const NOWHERE: Connection = { endpoint: 'http://localhost', writeKey: 'dry-run' };

/** Sends the messages in the files and keeps a checkpoint of the progress. */
export async function runImport(
  names: readonly string[],
  options: ImportOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const job = await jobOf(names, options);
  // The import listens for signals before it writes a file, so that an interrupted import closes every file properly.
  const interrupted = new AbortController();
  const stopListening = onInterrupt(() => interrupted.abort());
  let unlock: (() => Promise<void>) | undefined;
  try {
    if (job.checkpoint !== undefined) unlock = await lockCheckpoint(job.checkpoint);
    return await sendAll(job, options, interrupted.signal, terminal, stdin);
  } finally {
    stopListening();
    await unlock?.();
  }
}

type Job = Awaited<ReturnType<typeof jobOf>>;

/** @throws CliError if an option is wrong or excludes another */
async function jobOf(names: readonly string[], options: ImportOptions) {
  const isDryRun = options.dryRun === true;
  if (options.resume && options.restart) throw new CliError('--resume and --restart exclude each other; give one');
  if (isDryRun && options.resume)
    throw new CliError('--dry-run checks every row and cannot --resume; leave out one of them');
  const connection = isDryRun ? NOWHERE : connectionOf(options);
  const zone = options.timezone === undefined ? undefined : zoneOf(options.timezone);
  const inputs = await Promise.all(names.map((name) => inputOf(name, options.format)));
  checkCsvFlags(inputs, options);
  refuseRepeated(inputs);
  const { rejects } = options;
  const checkpoint = isDryRun ? undefined : checkpointPathOf(inputs, options);
  const called = options.checkpoint === undefined ? 'the checkpoint' : '--checkpoint';
  const written = checkpoint === undefined ? [] : [checkpoint, ...filesBeside(checkpoint)];
  keepApart(
    [[`--rejects ${rejects}`, rejects], ...written.map((path) => [`${called} ${path}`, path] as const)],
    inputs.map(({ path }) => ['an input file', path === STANDARD_INPUT ? 0 : path]),
  );
  return { isDryRun, connection, zone, inputs, checkpoint, settings: settingsOf(inputs, connection, options) };
}

async function sendAll(
  job: Job,
  options: ImportOptions,
  interrupted: AbortSignal,
  terminal: Terminal,
  stdin: Readable,
): Promise<number> {
  const { isDryRun, connection, inputs, checkpoint } = job;
  const { gzip, rejects, salt = '' } = options;
  const from = await checkpointOf(job, options);
  const run = await ImportRun.open({
    ...job,
    from,
    rejects,
    interrupted,
    analytics: quietClient({ ...connection, enabled: !isDryRun, gzip, maxQueueBytes: QUEUE_BYTES }),
    csv: options,
    isNowAllowed: options.allowNow === true,
    salt: isDryRun ? undefined : salt,
    unit: options.timestampUnit,
    rate: isDryRun ? undefined : options.rate,
    stdin,
    note: (text) => terminal.note(text, { note: text }),
    show: (measure) => showMeter(terminal, { rows: isDryRun ? 'valid' : 'delivered', rate: 'events/s' }, measure),
  });
  const summary = await run.run();
  const isOfFiles = inputs.every(({ isFile }) => isFile);
  const { endpoint } = connection;
  const resumedAfterLine = from?.last?.line;
  return printSummary({ ...summary, rejects, endpoint, isOfFiles, isDryRun, checkpoint, resumedAfterLine }, terminal);
}

/** @throws CliError if standard input or a pipe is given twice, because it would have no rows the second time */
function refuseRepeated(inputs: readonly Input[]): void {
  const paths = inputs.filter(({ isFile }) => !isFile).map(({ path }) => path);
  const repeated = inputs.find(({ path }) => paths.indexOf(path) !== paths.lastIndexOf(path));
  if (repeated !== undefined) throw new CliError(`${repeated.name} can be read only once; give it once`);
}

/** Standard input and pipes cannot be read twice, so they have a checkpoint only on request. */
function checkpointPathOf([first]: readonly Input[], { checkpoint, resume }: ImportOptions): string | undefined {
  if (checkpoint !== undefined) return checkpoint;
  if (first?.isFile) return `${first.path}.checkpoint`;
  if (!resume) return undefined;
  throw new CliError(
    '--resume of standard input or a pipe needs its checkpoint; give --checkpoint FILE, and the same input again',
  );
}

/**
 * Returns the checkpoint to continue at, if there is one.
 *
 * @throws CliError if there is an interrupted import and no option says whether to continue it, if there is nothing to
 *   resume, or if a file was already imported
 */
async function checkpointOf(
  { checkpoint: path, inputs, settings }: Job,
  { resume, restart }: ImportOptions,
): Promise<Checkpoint | undefined> {
  if (path === undefined || restart) return undefined;
  const found = await readCheckpoint(path);
  if (found === undefined || found.finished !== undefined) {
    refuseFinished(found, inputs, settings);
    if (!resume) return undefined;
    throw unusable(
      `nothing to resume: ${path} is of no interrupted import; import without --resume to send everything`,
    );
  }
  if (!resume && found.last !== undefined) {
    throw unusable(
      `${path} is of an import that stopped at line ${found.last.line}; give --resume to continue it, or --restart to send everything`,
    );
  }
  checkSame(path, found, settings);
  return found;
}

/** @throws CliError if a file was already imported and has not changed, because another run would send each message again */
function refuseFinished(checkpoint: Checkpoint | undefined, inputs: readonly Input[], now: Settings): void {
  const { finished, settings, delivered = 0, rejected = 0 } = checkpoint ?? {};
  // Nothing is sent a second time to another endpoint, or when every row was rejected.
  if (delivered === 0 || settings?.[ENDPOINT] !== now[ENDPOINT]) return;
  const again = Object.entries(stampsOf(inputs)).filter(([path, stamp]) => finished?.stamps[path] === stamp);
  if (finished === undefined || again.length === 0) return;
  const result = `${formatCount(delivered)} delivered, ${formatCount(rejected)} rejected`;
  const [were, them] = again.length === 1 ? ['was', 'it'] : ['were', 'them'];
  throw unusable(
    `${again.map(([path]) => path).join(', ')} ${were} imported to ${now[ENDPOINT]} at ${finished.at}: ${result}; give --restart to send ${them} again`,
  );
}

/** @throws CliError if rows would become other messages than in the first run, or go to another place */
function checkSame(path: string, before: Checkpoint, now: Settings): void {
  // A key under which nothing was delivered may have been wrong.
  const { [WRITE_KEY]: key = '' } = before.delivered > 0 ? before.settings : now;
  const difference = differenceOf({ ...before.settings, [WRITE_KEY]: key }, now);
  if (difference === undefined) return;
  throw new CliError(
    `options differ from the run of ${path}, which would change the messages or where rows go: ${difference}; give the options of that run, or --restart to send everything`,
  );
}
