import { parseJson } from '../../base/text/decode.js';
import type { Failures } from '../../delivery/health.js';
import type { Attempt } from '../../delivery/state.js';
import type { FailingReport } from '../../destination/destination-events.js';
import type { EndpointName } from '../../destination/known-webhooks.js';
import type { Attempted, Recorder } from '../../destination/recorder.js';
import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { SerialQueue } from '../turns.js';

const FAILING = 'failing/';

/** The failures of a webhook are written again after this long, in ms; a killed process loses no more of their number. */
const WRITE_MS = 5_000;

/** Remembers across restarts which webhooks are failing, and since when. */
export class FailingWebhooks implements Recorder {
  /** Counts the attempts at failing webhooks. It is undefined while no webhook fails, so that an attempt costs nothing then. */
  record: Recorder['record'];
  readonly #keyValues: KeyValueStore;
  readonly #onError: (error: unknown) => void;
  readonly #failures = new Map<string, Failures>();
  /** The attempts that `failing` has counted. */
  readonly #first = new WeakSet<Attempt>();
  /** When a count was written last, in ms since 1970. */
  readonly #written = new Map<string, number>();
  readonly #queue = new SerialQueue();

  private constructor(keyValues: KeyValueStore, onError: (error: unknown) => void) {
    this.#keyValues = keyValues;
    this.#onError = onError;
  }

  /** Reads the records before any destination is opened, and removes those of destinations that are no longer configured. */
  static async open(
    keyValues: KeyValueStore,
    { destinations, onError }: { readonly destinations: readonly string[]; onError(error: unknown): void },
  ): Promise<FailingWebhooks> {
    const webhooks = new FailingWebhooks(keyValues, onError);
    const configured = new Set(destinations.map(encodeURIComponent));
    for await (const { key, value } of entriesOf(keyValues, FAILING)) {
      const failures = parseJson(value) as Failures | undefined;
      if (failures !== undefined && configured.has(key.slice(FAILING.length).split('/', 1)[0] ?? ''))
        webhooks.#failures.set(key, failures);
      else await keyValues.write([{ key, value: undefined }]);
    }
    if (webhooks.#failures.size > 0) webhooks.record = webhooks.#note;
    return webhooks;
  }

  of(destination: string, name: EndpointName): Failures | undefined {
    return this.#failures.get(keyOf(destination, name));
  }

  failing({ failed: inARow, last, since, ...name }: FailingReport, destination: string): void {
    const key = keyOf(destination, name);
    this.#first.add(last);
    this.#failures.set(key, { inARow, last: withoutAnswer(last), since });
    this.record = this.#note;
    this.#written.set(key, last.at);
    const value = JSON.stringify(this.#failures.get(key));
    // Another process may have recorded it earlier.
    this.#write(() => this.#keyValues.writeIf({ key, value: undefined }, [{ key, value }]));
  }

  readonly #note = ({ destination, name, attempt }: Attempted): void => {
    if (this.#first.has(attempt)) return;
    const key = keyOf(destination, name);
    const failures = this.#failures.get(key);
    if (failures === undefined) return;
    const isSuccess = attempt.result === 'success';
    const inARow = isSuccess ? 0 : failures.inARow + 1;
    this.#failures.set(key, { ...failures, inARow, last: isSuccess ? failures.last : withoutAnswer(attempt) });
    if (attempt.at < (this.#written.get(key) ?? 0) + WRITE_MS) return;
    this.#written.set(key, attempt.at);
    this.#rewrite(key);
  };

  recovered(name: EndpointName, destination: string): void {
    const key = keyOf(destination, name);
    this.#failures.delete(key);
    this.#written.delete(key);
    if (this.#failures.size === 0) this.record = undefined;
    this.#write(() => this.#keyValues.write([{ key, value: undefined }]));
  }

  /** Resolves once all is written. */
  close(): Promise<void> {
    for (const key of this.#failures.keys()) this.#rewrite(key);
    return this.#queue.over();
  }

  /** Brings the record up to date, unless another process has removed it. */
  #rewrite(key: string): void {
    const failures = this.#failures.get(key);
    if (failures === undefined) return;
    this.#write(async () => {
      const [value] = await this.#keyValues.get([key]);
      const known = value === undefined ? undefined : (parseJson(value) as Failures | undefined);
      if (known === undefined) return;
      const now = JSON.stringify({ ...failures, since: Math.min(failures.since, known.since) });
      await this.#keyValues.writeIf({ key, value }, [{ key, value: now }]);
    });
  }

  #write(act: () => Promise<unknown>): void {
    this.#queue.run(act).catch(this.#onError);
  }
}

const withoutAnswer = ({ answer: _, ...attempt }: Attempt): Attempt => attempt;

const keyOf = (destination: string, { webhookId, endpoint }: EndpointName): string =>
  `${FAILING}${encodeURIComponent(destination)}/${encodeURIComponent(webhookId ?? endpoint)}`;
