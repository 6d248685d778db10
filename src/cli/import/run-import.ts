import type { Readable } from 'node:stream';
import { formatCount } from '../../base/text/plural.js';
import { CliError, unusable } from '../cli-error.js';
import { type ConnectionOptions, connectionOf, type ServiceConnection } from '../options/connection.js';
import { STANDARD_INPUT } from '../options/file.js';
import { quietClient } from '../options/quiet-client.js';
import { keepApart } from '../options/same-file.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Checkpoint, filesBeside, lockCheckpoint, readCheckpoint, startOf } from './checkpoint.js';
import { checkCsvFlags } from './csv-flags.js';
import { type ImportJob, ImportRun } from './import-run.js';
import { type InputFile, inputOf, stampsOf } from './input.js';
import { showMeter } from './meter.js';
import type { TimestampUnit } from './read-timestamp.js';
import { differencesOf, ENDPOINT, type RowOptions, settingsOf, WRITE_KEY } from './settings.js';
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
const NOWHERE: ServiceConnection = { endpoint: 'http://localhost', writeKey: 'dry-run' };

/** Sends the messages in the files and keeps a checkpoint of the progress. */
export async function runImport(
  names: readonly string[],
  options: ImportOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const note = (text: string): void => terminal.note(text, { note: text });
  const job = { ...(await jobOf(names, options)), stdin, note };
  // The import listens for signals before it writes a file, so that an interrupted import closes every file properly.
  const interrupted = new AbortController();
  const stopListening = onInterrupt(() => interrupted.abort());
  let unlock: (() => Promise<void>) | undefined;
  try {
    if (job.checkpoint !== undefined) unlock = await lockCheckpoint(job.checkpoint);
    return await sendAll(job, options, interrupted.signal, terminal);
  } finally {
    stopListening();
    await unlock?.();
  }
}

/** @throws CliError if an option is wrong or excludes another */
async function jobOf(names: readonly string[], options: ImportOptions): Promise<Omit<ImportJob, 'stdin' | 'note'>> {
  const { dryRun: isDryRun = false, resume, restart, timezone, rejects, allowNow, salt = '' } = options;
  if (resume && restart) throw new CliError('--resume and --restart exclude each other; give one');
  if (isDryRun && resume) throw new CliError('--dry-run checks every row and cannot --resume; leave out one of them');
  const connection = isDryRun ? NOWHERE : connectionOf(options);
  const zone = timezone === undefined ? undefined : zoneOf(timezone);
  const inputs = await Promise.all(names.map((name) => inputOf(name, options.format)));
  checkCsvFlags(inputs, options);
  const checkpoint = isDryRun ? undefined : checkpointPathOf(inputs, options);
  checkFiles(inputs, checkpoint, options);
  return {
    inputs,
    connection,
    checkpoint,
    rejects,
    isDryRun,
    allowNow,
    zone,
    unit: options.timestampUnit,
    csv: options,
    settings: settingsOf(inputs, connection, options),
    salt: isDryRun ? undefined : salt,
    rate: isDryRun ? undefined : options.rate,
  };
}

async function sendAll(
  job: ImportJob,
  options: ImportOptions,
  interrupted: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const { isDryRun, connection } = job;
  const from = await checkpointOf(job, options);
  const client = quietClient({
    ...connection,
    enabled: !isDryRun,
    gzip: options.gzip,
    maxQueueBytes: QUEUE_BYTES,
  });
  const run = await ImportRun.open(job, client, from ?? startOf(job.settings));
  const nouns = { rows: isDryRun ? 'valid' : 'delivered', rate: 'events/s' };
  const stopShowing = showMeter(terminal, nouns, () => run.measure());
  const summary = await run.run(interrupted).finally(stopShowing);
  return printSummary({ ...job, ...summary, resumedAfterLine: from?.last?.line }, terminal);
}

/** @throws CliError if standard input or a pipe is given twice, or a file that is written is also read or written otherwise */
function checkFiles(inputs: readonly InputFile[], checkpoint: string | undefined, options: ImportOptions): void {
  const paths = inputs.filter(({ isFile }) => !isFile).map(({ path }) => path);
  const repeated = inputs.find(({ path }) => paths.indexOf(path) !== paths.lastIndexOf(path));
  if (repeated !== undefined) throw new CliError(`${repeated.name} can be read only once; give it once`);
  const called = options.checkpoint === undefined ? 'the checkpoint' : '--checkpoint';
  const written = checkpoint === undefined ? [] : [checkpoint, ...filesBeside(checkpoint)];
  keepApart(
    [[`--rejects ${options.rejects}`, options.rejects], ...written.map((path) => [`${called} ${path}`, path] as const)],
    inputs.map(({ path }) => ['an input file', path === STANDARD_INPUT ? 0 : path]),
  );
}

/** Standard input and pipes cannot be read twice, so they have a checkpoint only on request. */
function checkpointPathOf([first]: readonly InputFile[], { checkpoint, resume }: ImportOptions): string | undefined {
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
async function checkpointOf(job: ImportJob, { resume, restart }: ImportOptions): Promise<Checkpoint | undefined> {
  const { checkpoint: path, settings } = job;
  if (path === undefined || restart) return undefined;
  const found = await readCheckpoint(path);
  if (found === undefined || found.finished !== undefined) {
    if (found !== undefined) refuseFinished(found, job);
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
  // A key under which nothing was delivered may have been wrong.
  const ignored = found.delivered > 0 ? undefined : WRITE_KEY;
  const differences = differencesOf(found.settings, settings).filter((name) => name !== ignored);
  if (differences.length === 0) return { ...found, settings };
  throw new CliError(
    `options differ from the run of ${path}, which would change the messages or where rows go: ${differences.join(', ')}; give the options of that run, or --restart to send everything`,
  );
}

/** @throws CliError if a file was already imported and has not changed, because another run would send each message again */
function refuseFinished({ finished, settings, delivered, rejected }: Checkpoint, job: ImportJob): void {
  // Nothing is sent a second time to another endpoint, or when every row was rejected.
  if (delivered === 0 || settings[ENDPOINT] !== job.settings[ENDPOINT]) return;
  const stamps = Object.entries(stampsOf(job.inputs));
  const again = stamps.filter(([path, stamp]) => finished?.stamps[path] === stamp).map(([path]) => path);
  if (again.length === 0) return;
  const result = `${formatCount(delivered)} delivered, ${formatCount(rejected)} rejected`;
  const [were, them] = again.length === 1 ? ['was', 'it'] : ['were', 'them'];
  throw unusable(
    `${again.join(', ')} ${were} imported to ${job.connection.endpoint} at ${finished?.at}: ${result}; give --restart to send ${them} again`,
  );
}
