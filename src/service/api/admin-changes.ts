import type { Clock } from '../../base/time/clock.js';
import { isRecord } from '../../protocol/plain.js';
import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { jobIdAt, newestFirst } from '../jobs/job-runner.js';
import type { Log } from '../service-log.js';
import { type AdminContext, callerOf } from './admin-router.js';
import type { ChangeReport } from './answer-types.js';

const CHANGES = 'change/';

const keyOf = (id: string): string => CHANGES + newestFirst(id);

/** How long a change is listed, in ms. */
const KEEP_MS = 30 * 24 * 60 * 60_000;

/** The maximum number of lines that are kept of one reload. */
const MOST_LINES = 100;

type KeptChange = Omit<ChangeReport, 'id' | 'at'>;

// These two are 0 in every answer, because the deletion has only just begun.
const isNumber = (field: [string, unknown]): field is [string, number] =>
  typeof field[1] === 'number' && field[0] !== 'done' && field[0] !== 'erased';

export interface ChangesOptions {
  readonly keyValues: KeyValueStore;
  readonly clock: Pick<Clock, 'wall'>;
  readonly log: Log;
  onError(error: unknown): void;
}

/**
 * Logs every change that is made through the API, the page or a new configuration, and lists it for 30 days with its time and
 * token. It keeps no request bodies, because they name users.
 */
export class Changes {
  readonly #options: ChangesOptions;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** Records a call that succeeded. The call does not wait until the record is stored. */
  note(context: AdminContext, answer: unknown, status: number): void {
    const { method, path } = context.req;
    if (method === 'GET' || method === 'HEAD' || context.get('isDryRun') === true) return;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const { [name]: value, destination, sources, limited, act, id: job } = isRecord(answer) ? answer : {};
    const before = context.get('before');
    // A switch is answered with the report of its destination, whose numbers say nothing about the change.
    const counts = isRecord(answer) && typeof value !== 'boolean' ? Object.entries(answer).filter(isNumber) : [];
    const change: KeptChange = {
      by: callerOf(context),
      call: `${method} ${path}`,
      ...(typeof destination === 'string' && { destination }),
      ...(limited === true && Array.isArray(sources) && { sources }),
      ...(act !== undefined && typeof job === 'string' && { job }),
      ...(typeof value === 'boolean' && { value, ...(before !== undefined && { before }) }),
      ...(counts.length > 0 && { counts: Object.fromEntries(counts) }),
      status,
    };
    this.#options.log.info(change, 'a change was made through the API');
    this.#keep(change);
  }

  /** Records that a new configuration is in use. A configuration that changes nothing is not listed. */
  noteReload(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const changes = lines.slice(0, MOST_LINES);
    if (lines.length > changes.length) changes.push(`and ${lines.length - changes.length} more, in the log`);
    this.#keep({ by: 'configuration', call: 'reload', changes, status: 200 });
  }

  #keep(fields: KeptChange): void {
    const { keyValues, clock, onError } = this.#options;
    const now = clock.wall();
    const change: ChangeReport = { id: jobIdAt(now), at: new Date(now).toISOString(), ...fields };
    keyValues.write([{ key: keyOf(change.id), value: JSON.stringify(change) }]).catch(onError);
  }

  /** Lists the changes, newest first. With `before`, an id, only older changes are listed. */
  async list(limit = 100, before?: string): Promise<ChangeReport[]> {
    const entries = await this.#options.keyValues.list(CHANGES, before && keyOf(before), limit);
    // Only `#keep` writes these values.
    return entries.map(({ value }): ChangeReport => JSON.parse(value));
  }

  /** Removes changes that are too old to be listed. */
  async sweep(): Promise<void> {
    const { keyValues, clock } = this.#options;
    const oldest = jobIdAt(Math.max(0, clock.wall() - KEEP_MS - 1), '');
    for await (const { key } of entriesOf(keyValues, CHANGES, keyOf(oldest)))
      await keyValues.write([{ key, value: undefined }]);
  }
}
