import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { Analytics } from '../../client/analytics.js';
import { Pacer } from '../../client/import/pacer.js';
import { systemClock } from '../../clock.js';
import { CliError, EXIT } from '../cli-error.js';
import { type Connection, type ConnectionOptions, connectionOf } from '../connection.js';
import { STANDARD_INPUT } from '../file.js';
import { onInterrupt } from '../interruption.js';
import type { Terminal } from '../terminal.js';
import { type Checkpoint, readCheckpoint } from './checkpoint.js';
import { ImportRun } from './import-run.js';
import { type Input, inputOf } from './input.js';
import { Journal } from './journal.js';
import { createMeter } from './meter.js';
import { differenceOf, type RowOptions, settingsOf } from './settings.js';
import { printSummary } from './summary.js';
import type { TimestampUnit } from './timestamp.js';
import { zoneOf } from './zone.js';

export interface ImportOptions extends ConnectionOptions, RowOptions {
  readonly format?: 'ndjson' | 'csv' | undefined;
  readonly timestampUnit?: TimestampUnit | undefined;
  readonly allowNow?: boolean | undefined;
  /** Rows a second. */
  readonly rate?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly rejects?: string | undefined;
  readonly checkpoint?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly gzip?: boolean | undefined;
}

/** How much may wait in memory, in bytes: several batches, so that one is always ready while another is on its way. */
const QUEUE_BYTES = 8 * 1024 * 1024;

/** Where a dry run would send to, if it sent. */
const NOWHERE: Connection = { endpoint: 'http://localhost', writeKey: 'dry-run' };

/** Sends what the files hold, and notes how far it came. */
export async function runImport(
  names: readonly string[],
  options: ImportOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const isDryRun = options.dryRun === true;
  if (isDryRun && options.resume) throw new CliError('--dry-run checks every row; it has nothing to --resume');
  const connection = isDryRun ? NOWHERE : connectionOf(options);
  const zone = options.timezone === undefined ? undefined : zoneOf(options.timezone);
  const inputs = await Promise.all(names.map((name) => inputOf(name, options.format)));
  checkCsvOptions(inputs, options);
  keepApart(inputs, options);
  const checkpointPath = isDryRun ? undefined : checkpointPathOf(inputs, options);
  const base = {
    version: 2,
    endpoint: connection.endpoint,
    files: inputs.map(({ path }) => path),
    settings: settingsOf(inputs, options),
  } as const;
  const from = await checkpointOf(checkpointPath, base, options, terminal);
  if (from?.isDone) {
    terminal.print('Nothing to do: the import was finished.', { rows: 0, isDone: true });
    return EXIT.ok;
  }
  const analytics = new Analytics({
    ...connection,
    enabled: !isDryRun,
    gzip: options.gzip,
    maxQueueBytes: QUEUE_BYTES,
  });
  const journal = await Journal.open({
    rejects: options.rejects,
    checkpoint: checkpointPath,
    base,
    rejectsBytes: from?.rejectsBytes ?? 0,
  });
  const run = new ImportRun({
    inputs,
    from,
    analytics,
    journal,
    csv: options,
    isNowAllowed: options.allowNow === true,
    salt: isDryRun ? undefined : (options.salt ?? ''),
    zone,
    unit: options.timestampUnit,
    isDryRun,
    pacer: isDryRun || options.rate === undefined ? undefined : new Pacer(options.rate, systemClock()),
    stdin,
    clock: performance,
    createMeter: (skippedBytes) =>
      createMeter(terminal, skippedBytes, { rows: isDryRun ? 'valid' : 'delivered', rate: 'events/s' }),
  });
  const stopListening = onInterrupt(() => run.interrupt());
  const summary = await run.run().finally(stopListening);
  const canResume = journal.hasCheckpoint || from !== undefined;
  return printSummary(
    { ...summary, ...options, endpoint: connection.endpoint, inputs, isDryRun, checkpoint: checkpointPath, canResume },
    terminal,
  );
}

/** What is written replaces what was there. */
function keepApart(inputs: readonly Input[], { rejects, checkpoint }: ImportOptions): void {
  for (const [option, name] of Object.entries({ '--rejects': rejects, '--checkpoint': checkpoint })) {
    if (name === undefined || inputs.every(({ path }) => path !== resolve(name))) continue;
    throw new CliError(`${option} ${name} would overwrite a file that is to be imported`);
  }
  if (rejects !== undefined && checkpoint !== undefined && resolve(rejects) === resolve(checkpoint)) {
    throw new CliError('--rejects and --checkpoint would overwrite each other');
  }
}

/** Options that no file heeds are a mistake about how the files are read. */
function checkCsvOptions(inputs: readonly Input[], options: ImportOptions): void {
  if (inputs.some(({ format }) => format === 'csv')) return;
  const given = {
    '--map': options.map,
    '--set': options.set,
    '--null': options.nulls,
    '--delimiter': options.delimiter,
  };
  for (const [option, value] of Object.entries(given)) {
    if (value === undefined) continue;
    throw new CliError(`${option} is for CSV, and ${inputs[0]?.name} is read as NDJSON; --format csv reads it as CSV`);
  }
}

/** Standard input cannot be read twice, so nothing is noted of it unless it is asked for. */
function checkpointPathOf(inputs: readonly Input[], { checkpoint, resume }: ImportOptions): string | undefined {
  if (checkpoint !== undefined) return checkpoint;
  const [first] = inputs;
  if (first !== undefined && first.path !== STANDARD_INPUT) return `${first.path}.checkpoint`;
  if (resume) throw new CliError('to --resume standard input, name the --checkpoint and give the same input again');
  return undefined;
}

/** The checkpoint to go on from, when that is asked for. */
async function checkpointOf(
  path: string | undefined,
  base: Pick<Checkpoint, 'endpoint' | 'files' | 'settings'>,
  { resume }: ImportOptions,
  terminal: Terminal,
): Promise<Checkpoint | undefined> {
  if (path === undefined) return undefined;
  const found = await readCheckpoint(path).catch((error) => (resume ? Promise.reject(error) : undefined));
  if (found === undefined) return undefined;
  if (resume) {
    checkSame(path, found, base);
    return found;
  }
  if (found.last !== undefined && !found.isDone) {
    const note = `An earlier import stopped at line ${found.last.line}; --resume would go on from there.`;
    terminal.note(note, { note });
  }
  return undefined;
}

/** @throws CliError when a row would not be the message that it was in the first run */
function checkSame(path: string, before: Checkpoint, now: Pick<Checkpoint, 'endpoint' | 'files' | 'settings'>): void {
  if (before.endpoint !== now.endpoint) {
    throw new CliError(`${path} is of an import to another endpoint, ${before.endpoint}`);
  }
  if (before.files.join('\n') !== now.files.join('\n')) {
    throw new CliError(`${path} is of an import of other files: ${before.files.join(', ')}`);
  }
  const difference = differenceOf(before.settings, now.settings);
  if (difference === undefined) return;
  throw new CliError(
    `rows would get other ids, or say other things, than in the run that ${path} is of: ${difference}; give what was given then, or import without --resume`,
  );
}
