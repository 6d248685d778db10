import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { AdminClient } from '../../admin/admin-client.js';
import { formatCount, plural } from '../../plural.js';
import { printable } from '../../printable.js';
import { CliError, EXIT } from '../cli-error.js';
import { STANDARD_INPUT } from '../file.js';
import { type Input, inputOf } from '../import/input.js';
import { type Measure, showMeter } from '../import/meter.js';
import { onInterrupt } from '../interruption.js';
import type { Terminal } from '../terminal.js';
import { type IdOptions, type IdSource, openIds } from './ids.js';

export interface SyncAudienceOptions extends IdOptions {
  /** @default the file's, without its endings */
  readonly name?: string | undefined;
  readonly allowEmpty?: boolean | undefined;
}

/** Makes the ids of a file the members of an audience. */
export async function syncAudience(
  admin: AdminClient,
  file: string,
  options: SyncAudienceOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const name = options.name ?? nameOf(file);
  const input = await inputOf(file, undefined);
  const source = openIds(input, options, stdin);
  const upload = new Upload(input, source, options.allowEmpty === true);
  const nouns = { rows: 'ids', rate: 'ids/s' };
  const stopShowing = showMeter(terminal, { ...nouns, skippedBytes: 0 }, () => upload.measure());
  const interruption = new AbortController();
  const stopListening = onInterrupt(() => {
    interruption.abort();
    // The upload may be waiting for its first bytes.
    source.close();
  });
  try {
    const { signal } = interruption;
    const result = await admin.syncAudience(name, await upload.begin(), { signal }).finally(stopShowing);
    const { joined, left, members, trait } = result;
    const counts = `${formatCount(joined)} joined, ${formatCount(left)} left, ${plural(members, 'member')}`;
    terminal.print(`${terminal.style('bold', printable(result.name))}  ${counts}, trait ${trait}`, result);
    return EXIT.ok;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    const reason = upload.isSent ? 'interrupted; the service finishes the sync' : 'interrupted; nothing was changed';
    terminal.note(`audience: ${reason}`, { error: { command: 'audience', message: reason } });
    return EXIT.interrupted;
  } finally {
    stopShowing();
    stopListening();
    // An input that is not read to its end would keep the process alive.
    source.close();
  }
}

/** `High Value Users` of `lists/High Value Users.csv.gz`. */
function nameOf(file: string): string {
  if (file === STANDARD_INPUT) throw new CliError('standard input has no name; give --name NAME for the audience');
  return basename(file)
    .replace(/(?<=.)\.gz$/i, '')
    .replace(/(?<=.)\.(ndjson|jsonl|json|csv|tsv|txt)$/i, '');
}

/** The ids that are uploaded, and the progress. */
class Upload {
  readonly #input: Input;
  readonly #source: IdSource;
  readonly #allowEmpty: boolean;
  readonly #startedAt = performance.now();
  #ids = 0;
  isSent = false;

  constructor(input: Input, source: IdSource, allowEmpty: boolean) {
    this.#input = input;
    this.#source = source;
    this.#allowEmpty = allowEmpty;
  }

  /** @throws CliError when there are none: an export that failed must not empty the audience */
  async begin(): Promise<AsyncIterable<string>> {
    const ids = this.#source.ids[Symbol.asyncIterator]();
    const first = await ids.next();
    if (first.done && !this.#allowEmpty) {
      throw new CliError(`${this.#input.name} holds no ids; give --allow-empty to let every member leave`);
    }
    return this.#rest(first, ids);
  }

  measure(): Measure {
    return {
      rows: this.#ids,
      rejected: 0,
      bytes: this.#source.bytesRead(),
      totalBytes: this.#input.size,
      elapsedMs: performance.now() - this.#startedAt,
      waiting: this.isSent ? 'all sent, the service compares' : undefined,
    };
  }

  async *#rest(first: IteratorResult<string>, ids: AsyncIterator<string>): AsyncGenerator<string> {
    for (let next = first; !next.done; next = await ids.next()) {
      this.#ids++;
      yield next.value;
    }
    this.isSent = true;
  }
}
