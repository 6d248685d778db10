import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { AdminClient } from '../admin/admin-client.js';
import { printable } from '../printable.js';
import type { AudienceReport } from '../service/api/answers.js';
import { type IdOptions, type IdSource, openIds } from './audience/ids.js';
import { CliError, EXIT } from './cli-error.js';
import { type Input, inputOf, STANDARD_INPUT } from './import/input.js';
import { createMeter } from './import/meter.js';
import type { Terminal } from './terminal.js';

export interface AdminOptions {
  /** Where the service listens. */
  readonly url: string;
  readonly token?: string | undefined;
}

export interface SyncAudienceOptions extends AdminOptions, IdOptions {
  /** @default the file's, without what says its format */
  readonly name?: string | undefined;
  readonly allowEmpty?: boolean | undefined;
}

const TOKEN_VARIABLE = 'EVENTFERRY_ADMIN_TOKEN';

/** Makes the ids of a file the members of an audience. */
export async function syncAudience(
  file: string,
  options: SyncAudienceOptions,
  terminal: Terminal,
  stdin: Readable = process.stdin,
): Promise<number> {
  const admin = clientOf(options);
  const name = options.name ?? nameOf(file);
  const input = await inputOf(file, undefined);
  const source = openIds(input, options, stdin);
  const upload = new Upload(input, source, options.allowEmpty === true);
  const stopShowing = createMeter(terminal, 0, { rows: 'ids', rate: 'ids/s' }).every(() => upload.measure());
  const interruption = new AbortController();
  const interrupt = (): void => {
    interruption.abort();
    // The first of it may be waited for.
    source.close();
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    const { signal } = interruption;
    const result = await admin.syncAudience(name, await upload.begin(), { signal }).finally(stopShowing);
    const { joined, left, members, trait } = result;
    const counts = `${number(joined)} joined, ${number(left)} left, ${number(members)} members`;
    terminal.print(`${terminal.style('bold', printable(result.name))}  ${counts}, trait ${trait}`, result);
    return EXIT.ok;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    const reason = upload.isSent ? 'interrupted; the service goes on with it' : 'interrupted; nothing was changed';
    terminal.note(`audience: ${reason}`, { error: { command: 'audience', message: reason } });
    return EXIT.interrupted;
  } finally {
    stopShowing();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    // What is still to be read would keep the process alive.
    source.close();
  }
}

/** Prints the audiences, one line each. */
export async function listAudiences(options: AdminOptions, terminal: Terminal): Promise<number> {
  const audiences = await clientOf(options).audiences();
  for (const audience of audiences) terminal.print(describe(audience, terminal), audience);
  const { length: count } = audiences;
  terminal.note(count === 1 ? '1 audience' : `${number(count)} audiences`, { audiences: count });
  return EXIT.ok;
}

/** Prints one audience. */
export async function showAudience(name: string, options: AdminOptions, terminal: Terminal): Promise<number> {
  const audience = await clientOf(options).audience(name);
  terminal.print(describe(audience, terminal), audience);
  return EXIT.ok;
}

/** @throws CliError when there is no token */
function clientOf({ url, token }: AdminOptions): AdminClient {
  if (!token) throw new CliError(`with which token? Give --token TOKEN or set ${TOKEN_VARIABLE}`);
  return new AdminClient({ url, token });
}

/** `High Value Users` of `lists/High Value Users.csv.gz`. */
function nameOf(file: string): string {
  if (file === STANDARD_INPUT) throw new CliError('which audience does standard input hold? Give --name NAME');
  return basename(file)
    .replace(/(?<=.)\.gz$/i, '')
    .replace(/(?<=.)\.(ndjson|jsonl|json|csv|tsv|txt)$/i, '');
}

/** The ids on their way, and how far they are. */
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
      throw new CliError(`${this.#input.name} holds no ids; with --allow-empty every member leaves`);
    }
    return this.#rest(first, ids);
  }

  measure() {
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

function describe({ name, trait, members, syncedAt, sync }: AudienceReport, terminal: Terminal): string {
  const parts = [
    terminal.style('bold', printable(name)),
    trait,
    `${number(members)} members`,
    syncedAt === null ? 'not synced yet' : `synced ${syncedAt}`,
  ];
  if (sync !== undefined) parts.push(`${sync.phase}, ${number(sync.applied)} of ${number(sync.received)}`);
  return parts.join('  ');
}

const number = (value: number): string => value.toLocaleString('en-US');
