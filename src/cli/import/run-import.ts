import type { Readable } from 'node:stream';
import { formatCount } from '../../base/text/plural.js';
import { CliError, unusable } from '../cli-error.js';
import { type Connection, type ConnectionOptions, connectionOf } from '../connection.js';
import { STANDARD_INPUT } from '../file.js';
import { onInterrupt } from '../interruption.js';
import { quietClient } from '../quiet-client.js';
import { keepApart } from '../same-file.js';
import type { Terminal } from '../terminal.js';
import { type Checkpoint, filesBeside, lockCheckpoint, readCheckpoint } from './checkpoint.js';
import { checkCsvFlags } from './csv-flags.js';
import { finishedImport, historyPath, importKey, rememberImport } from './finished-imports.js';
import { Journal } from './import-journal.js';
import { ImportRun } from './import-run.js';
import { type Input, inputOf } from './input.js';
import { showMeter } from './meter.js';
import type { TimestampUnit } from './read-timestamp.js';
import { differenceOf, goals, type RowOptions, settingsOf, WRITE_KEY } from './settings.js';
import { printSummary } from './summary.js';
import { zoneOf } from './zone.js';

export interface ImportOptions extends ConnectionOptions, RowOptions {
  readonly format?: 'ndjson' | 'csv' | undefined;
  readonly timestampUnit?: TimestampUnit | undefined;
  readonly allowNow?: boolean | undefined;
  /** In rows per second. @default unlimited */
  readonly rate?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly rejects?: string | undefined;
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
  const unlock = job.checkpoint === undefined ? async () => {} : await lockCheckpoint(job.checkpoint);
  try {
    return await sendAll(job, await checkpointOf(job, options), options, terminal, stdin);
  } finally {
    await unlock();
  }
}

type Job = Awaited<ReturnType<typeof jobOf>>;

/** @throws CliError if an option is wrong, or excludes another */
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
  keepApart(
    [
      [`--rejects ${rejects}`, rejects],
      [`${options.checkpoint === undefined ? 'the checkpoint' : '--checkpoint'} ${checkpoint}`, checkpoint],
      ...filesBeside(checkpoint).map((path) => [`the checkpoint's ${path}`, path] as const),
      ['the history of imports', isDryRun ? undefined : historyPath()],
    ],
    inputs.map(({ path }) => ['an input file', path === STANDARD_INPUT ? 0 : path]),
  );
  const settings = settingsOf(inputs, options);
  const { endpoint } = connection;
  const files = inputs.map(({ path }) => path);
  const base = { version: 1, endpoint, files, settings: { ...settings, ...goals(connection, options) } } as const;
  // The import is recognised by its key when it is run again, if it has one.
  const key = isDryRun ? undefined : importKey(connection, inputs, settings);
  return { isDryRun, connection, zone, inputs, checkpoint, base, key };
}

/** @param from the checkpoint at which an earlier import stopped */
async function sendAll(
  { isDryRun, connection, zone, inputs, checkpoint, base, key }: Job,
  from: Checkpoint | undefined,
  options: ImportOptions,
  terminal: Terminal,
  stdin: Readable,
): Promise<number> {
  const { gzip, rejects, allowNow, salt = '', timestampUnit: unit, rate } = options;
  const analytics = quietClient({ ...connection, enabled: !isDryRun, gzip, maxQueueBytes: QUEUE_BYTES });
  // The import listens before it writes its first file, so that every file of an interrupted import is closed properly.
  const interrupted = new AbortController();
  const stopListening = onInterrupt(() => interrupted.abort());
  try {
    const journal = await Journal.open({ rejects, checkpoint, base, from });
    const run = new ImportRun({
      inputs,
      from,
      analytics,
      journal,
      interrupted: interrupted.signal,
      csv: options,
      isNowAllowed: allowNow === true,
      salt: isDryRun ? undefined : salt,
      zone,
      unit,
      rate: isDryRun ? undefined : rate,
      stdin,
      note: (text) => terminal.note(text, { note: text }),
      clock: performance,
      show: (skippedBytes, measure) =>
        showMeter(terminal, { skippedBytes, rows: isDryRun ? 'valid' : 'delivered', rate: 'events/s' }, measure),
    });
    const summary = await run.run();
    if (key !== undefined && summary.stopped === undefined) {
      const delivered = summary.delivered + (from?.delivered ?? 0);
      const rejected = summary.rejected + (from?.rejected ?? 0);
      await rememberImport(key, { finishedAt: new Date().toISOString(), delivered, rejected });
    }
    const canResume = journal.hasCheckpoint || from?.last !== undefined;
    const { endpoint } = connection;
    return printSummary({ ...summary, rejects, endpoint, inputs, isDryRun, checkpoint, canResume }, terminal);
  } finally {
    stopListening();
  }
}

/** @throws CliError if standard input or a pipe is given twice: the second time it would have no rows */
function refuseRepeated(inputs: readonly Input[]): void {
  const paths = inputs.filter(({ isFile }) => !isFile).map(({ path }) => path);
  const repeated = inputs.find(({ path }) => paths.indexOf(path) !== paths.lastIndexOf(path));
  if (repeated !== undefined) throw new CliError(`${repeated.name} can be read only once; give it once`);
}

/** Standard input and pipes cannot be read twice, so they have a checkpoint only on request. */
function checkpointPathOf(inputs: readonly Input[], { checkpoint, resume }: ImportOptions): string | undefined {
  if (checkpoint !== undefined) return checkpoint;
  const [first] = inputs;
  if (first?.isFile) return `${first.path}.checkpoint`;
  if (resume)
    throw new CliError(
      '--resume of standard input or a pipe needs its checkpoint; give --checkpoint FILE, and the same input again',
    );
  return undefined;
}

/**
 * Returns the checkpoint to continue at, if there is one.
 *
 * @throws CliError if an interrupted import exists and no option says whether to continue it, if there is none to
 *   continue, or if the import has already finished
 */
async function checkpointOf(
  { checkpoint: path, base, key }: Job,
  { resume, restart }: ImportOptions,
): Promise<Checkpoint | undefined> {
  if (path === undefined || restart) return undefined;
  const found = await readCheckpoint(path);
  if (found === undefined) {
    await refuseFinished(key, base);
    if (!resume) return undefined;
    throw unusable(
      `nothing to resume: there is no ${path}, as an import that finishes removes it; import without --resume to send everything`,
    );
  }
  if (!resume && found.last !== undefined) {
    throw unusable(
      `${path} is of an import that stopped at line ${found.last.line}; give --resume to continue it, or --restart to send everything`,
    );
  }
  checkSame(path, found, base);
  return found;
}

/** @throws CliError if this import has already finished, because another run would send each message again */
async function refuseFinished(
  key: string | undefined,
  { endpoint, files }: Pick<Checkpoint, 'endpoint' | 'files'>,
): Promise<void> {
  const finished = key === undefined ? undefined : await finishedImport(key);
  if (finished === undefined) return;
  const { finishedAt, delivered, rejected } = finished;
  const result = `${formatCount(delivered)} delivered, ${formatCount(rejected)} rejected`;
  const [were, them] = files.length === 1 ? ['was', 'it'] : ['were', 'them'];
  throw unusable(
    `${files.join(', ')} ${were} imported to ${endpoint} at ${finishedAt}: ${result}; give --restart to send ${them} again`,
  );
}

/** @throws CliError if rows would become other messages than in the first run, or go elsewhere */
function checkSame(path: string, before: Checkpoint, now: Pick<Checkpoint, 'endpoint' | 'files' | 'settings'>): void {
  if (before.endpoint !== now.endpoint) {
    throw new CliError(
      `${path} belongs to an import to ${before.endpoint}; give that --endpoint, or --restart to send everything`,
    );
  }
  if (before.files.join('\n') !== now.files.join('\n')) {
    throw new CliError(
      `${path} belongs to an import of ${before.files.join(', ')}; give those files, or --restart to send everything`,
    );
  }
  // A key under which nothing was delivered may have been wrong.
  const { [WRITE_KEY]: key = '' } = before.delivered > 0 ? before.settings : now.settings;
  const difference = differenceOf({ ...before.settings, [WRITE_KEY]: key }, now.settings);
  if (difference === undefined) return;
  throw new CliError(
    `options differ from the run of ${path}, which would change the messages or where rows go: ${difference}; give the options of that run, or --restart to send everything`,
  );
}
