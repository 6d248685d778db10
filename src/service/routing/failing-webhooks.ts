import { SerialQueue } from '../../base/structures/turns.js';
import { parseJson } from '../../base/text/decode.js';
import type { Clock } from '../../base/time/clock.js';
import type { FailedBefore } from '../../delivery/health.js';
import type { Attempt } from '../../delivery/state.js';
import type { FailingReport } from '../../destination/destination-events.js';
import type { EndpointName } from '../../destination/endpoints/known-webhooks.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';

const FAILING = 'failing/';

/** The interval at which changes are written, in milliseconds. A killed process loses at most the changes of one interval. */
const WRITE_MS = 5_000;

interface FailingWebhooksOptions {
  /** The names of the configured destinations. */
  readonly destinations: readonly string[];
  readonly clock: Pick<Clock, 'after'>;
  onError(error: unknown): void;
}

/** Remembers across restarts which webhooks failed last, since when, and whether they are failing. */
export class FailingWebhooks implements Recorder {
  /** Undefined while nothing fails, because most attempts succeed and then need no call. */
  record: Recorder['record'];
  readonly #keyValues: KeyValueStore;
  readonly #options: FailingWebhooksOptions;
  readonly #failures = new Map<string, FailedBefore>();
  readonly #changed = new Set<string>();
  #cancelWrite: (() => void) | undefined;
  readonly #queue = new SerialQueue();

  private constructor(keyValues: KeyValueStore, options: FailingWebhooksOptions) {
    this.#keyValues = keyValues;
    this.#options = options;
  }

  /** Reads the records before any destination is opened, and removes those of destinations that are no longer configured. */
  static async open(keyValues: KeyValueStore, options: FailingWebhooksOptions): Promise<FailingWebhooks> {
    const webhooks = new FailingWebhooks(keyValues, options);
    const configured = new Set(options.destinations.map(encodeURIComponent));
    for await (const { key, value } of entriesOf(keyValues, FAILING)) {
      const failures = readRecord(value);
      if (failures !== undefined && configured.has(key.slice(FAILING.length).split('/', 1)[0] ?? ''))
        webhooks.#failures.set(key, failures);
      else await keyValues.write([{ key, value: undefined }]);
    }
    if (webhooks.#failures.size > 0) webhooks.record = webhooks.#noteSuccess;
    return webhooks;
  }

  of(destination: string, name: EndpointName): FailedBefore | undefined {
    return this.#failures.get(keyOf(destination, name));
  }

  /** The last attempt is not counted here, because `recordFailure` counts it afterwards. */
  failing({ last, since, ...name }: FailingReport, destination: string): void {
    const key = keyOf(destination, name);
    const inARow = this.#failures.get(key)?.inARow ?? 0;
    this.#failures.set(key, { inARow, last: withoutAnswer(last), since, isFailing: true });
    this.record = this.#noteSuccess;
    this.#changed.add(key);
    this.#writeChanged();
  }

  recordFailure({ destination, name, attempt }: Attempted): void {
    const key = keyOf(destination, name);
    const { inARow, since, isFailing } = this.#failures.get(key) ?? { inARow: 0, since: attempt.at, isFailing: false };
    this.#failures.set(key, { inARow: inARow + 1, last: withoutAnswer(attempt), since, isFailing });
    this.record = this.#noteSuccess;
    this.#noteChange(key);
  }

  readonly #noteSuccess = ({ destination, name, attempt }: Attempted): void => {
    const key = keyOf(destination, name);
    const failures = this.#failures.get(key);
    if (failures === undefined || attempt.result !== 'success') return;
    if (failures.isFailing) this.#failures.set(key, { ...failures, inARow: 0 });
    else this.#delete(key);
    this.#noteChange(key);
  };

  #noteChange(key: string): void {
    this.#changed.add(key);
    this.#cancelWrite ??= this.#options.clock.after(WRITE_MS, () => this.#writeChanged());
  }

  #delete(key: string): void {
    this.#failures.delete(key);
    if (this.#failures.size === 0) this.record = undefined;
  }

  recovered(name: EndpointName, destination: string): void {
    const key = keyOf(destination, name);
    this.#delete(key);
    this.#write(() => this.#keyValues.write([{ key, value: undefined }]));
  }

  /** Resolves when all changes are written. */
  close(): Promise<void> {
    this.#writeChanged();
    return this.#queue.over();
  }

  #writeChanged(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    const keys = [...this.#changed];
    this.#changed.clear();
    this.#write(() => Promise.all(keys.map((key) => this.#rewrite(key))));
  }

  /** Writes the current failures. If another process has recorded that the webhook is failing, it stays so. */
  async #rewrite(key: string): Promise<void> {
    const failures = this.#failures.get(key);
    const [value] = await this.#keyValues.get([key]);
    const known = value === undefined ? undefined : readRecord(value);
    const isKept = known?.isFailing === true;
    if (isKept && failures === undefined) return;
    const next =
      failures && isKept ? { ...failures, isFailing: true, since: Math.min(failures.since, known.since) } : failures;
    await this.#keyValues.writeIf({ key, value }, [{ key, value: next && JSON.stringify(next) }]);
  }

  #write(act: () => Promise<unknown>): void {
    this.#queue.run(act).catch(this.#options.onError);
  }
}

// Only this file writes such values.
const readRecord = (text: string): FailedBefore | undefined => parseJson(text) as FailedBefore | undefined;

const withoutAnswer = ({ answer: _, ...attempt }: Attempt): Attempt => attempt;

const keyOf = (destination: string, { webhookId, endpoint }: EndpointName): string =>
  `${FAILING}${encodeURIComponent(destination)}/${encodeURIComponent(webhookId ?? endpoint)}`;
