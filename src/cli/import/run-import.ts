import { resolve } from 'node:path';
import { CliError, EXIT } from '../cli-error.js';
import { connectionOf, type ServiceConnection } from '../options/connection.js';
import { STANDARD_INPUT } from '../options/file.js';
import { quietClient } from '../options/quiet-client.js';
import { keepApart } from '../options/same-file.js';
import { onInterrupt } from '../terminal/interruption.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Checkpoint, digestOf, pathsOf, readCheckpoint } from './checkpoint.js';
import { checkCsvFlags } from './csv-flags.js';
import { ImportRun, type ImportRunOptions } from './import-run.js';
import { type InputFile, inputOf } from './input.js';
import { showMeter } from './meter.js';
import { printSummary } from './summary.js';
import { zoneOf } from './zone.js';

/** The most bytes that may wait in memory. Several batches fit, so that one is ready while another is in flight. */
const QUEUE_BYTES = 8 * 1024 * 1024;

/** The unused connection of a dry run. */
const NOWHERE: ServiceConnection = { endpoint: 'http://localhost', writeKey: 'dry-run' };

/** Sends the messages in the files and keeps a checkpoint of the progress. Returns the exit code. */
export async function runImport(
  names: readonly string[],
  options: ImportRunOptions,
  terminal: Terminal,
): Promise<number> {
  const { dryRun: isDryRun = false, timezone } = options;
  const connection = isDryRun ? NOWHERE : connectionOf(options);
  const zone = timezone === undefined ? undefined : zoneOf(timezone);
  const inputs = await Promise.all(names.map((name) => inputOf(name, options)));
  checkCsvFlags(inputs, options);
  const checkpoint = isDryRun ? undefined : checkpointPathOf(inputs, options);
  checkFiles(inputs, checkpoint, options);
  // The import listens for signals before it writes a file, so that an interrupted import closes every file properly.
  const stopping = new AbortController();
  const interrupted = new CliError('interrupted', { exitCode: EXIT.interrupted });
  const stopListening = onInterrupt(() => stopping.abort(interrupted));
  try {
    const from = await startOf(checkpoint, inputs, connection, options);
    const job = { inputs, options, connection, zone, checkpoint, from, stopping };
    const client = { ...connection, enabled: !isDryRun, gzip: options.gzip, maxQueueBytes: QUEUE_BYTES };
    const run = new ImportRun(job, quietClient(client));
    const stopShowing = showMeter(terminal, isDryRun ? 'valid' : 'delivered', () => run.measure());
    const summary = await run.run().finally(stopShowing);
    return printSummary({ ...job, ...summary }, terminal);
  } finally {
    stopListening();
  }
}

/** @throws CliError if a file that is written is also read or written otherwise */
function checkFiles(inputs: readonly InputFile[], checkpoint: string | undefined, { rejects }: ImportRunOptions): void {
  const written = checkpoint === undefined ? [] : pathsOf(checkpoint);
  keepApart(
    [[`--rejects ${rejects}`, rejects], ...written.map((path) => [`the checkpoint ${path}`, path] as const)],
    inputs.map(({ path }) => ['an input file', path === STANDARD_INPUT ? 0 : path]),
  );
}

/** Standard input and pipes cannot be read twice, so they have a checkpoint only on request. */
const checkpointPathOf = ([first]: readonly InputFile[], { checkpoint }: ImportRunOptions): string | undefined =>
  checkpoint ?? (first?.size === undefined ? undefined : `${first.path}.checkpoint`);

/**
 * Returns the checkpoint at which the import begins.
 *
 * @throws CliError if there is one of another import, whose rows would become other messages or go elsewhere
 */
async function startOf(
  path: string | undefined,
  inputs: readonly InputFile[],
  { endpoint, writeKey }: ServiceConnection,
  { salt, timezone, timestampUnit, map, set, null: nulls, rejects, restart }: ImportRunOptions,
): Promise<Checkpoint> {
  const files = inputs.map(({ path, format, delimiter }) => [path, format, format === 'csv' && delimiter]);
  const rows = { salt, timezone, timestampUnit, map, set, nulls };
  const digest = digestOf(JSON.stringify({ files, rows, endpoint, rejects: rejects && resolve(rejects) }));
  const found = path === undefined || restart ? undefined : await readCheckpoint(path);
  if (found === undefined) return { options: digest, rejectsBytes: 0 };
  if (found.options === digest && (found.writeKey ?? digestOf(writeKey)) === digestOf(writeKey)) return found;
  throw new CliError(
    `${path} belongs to an import with other files or options; give the same, another --checkpoint, or --restart to send everything`,
  );
}
