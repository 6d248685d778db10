import { parseJson } from '../../base/text/decode.js';
import type { Failures } from '../../delivery/health.js';
import type { FailingReport } from '../../destination/destination-events.js';
import type { EndpointName } from '../../destination/known-webhooks.js';
import type { Recorder } from '../../destination/recorder.js';
import { entriesOf, type KeyValueStore } from '../../store/key-value-store.js';
import { SerialQueue } from '../turns.js';

const FAILING = 'failing/';

/** Remembers across restarts which webhooks are failing, and since when. */
export class FailingWebhooks implements Recorder {
  readonly #keyValues: KeyValueStore;
  readonly #onError: (error: unknown) => void;
  readonly #failures = new Map<string, Failures>();
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
    return webhooks;
  }

  of(destination: string, name: EndpointName): Failures | undefined {
    return this.#failures.get(keyOf(destination, name));
  }

  failing({ failed: inARow, last, since, ...name }: FailingReport, destination: string): void {
    const key = keyOf(destination, name);
    const { answer: _, ...attempt } = last;
    this.#failures.set(key, { inARow, last: attempt, since });
    const value = JSON.stringify(this.#failures.get(key));
    // Another process may have recorded it earlier.
    this.#write(() => this.#keyValues.writeIf({ key, value: undefined }, [{ key, value }]));
  }

  recovered(name: EndpointName, destination: string): void {
    const key = keyOf(destination, name);
    this.#failures.delete(key);
    this.#write(() => this.#keyValues.write([{ key, value: undefined }]));
  }

  /** Resolves once all is written. */
  close(): Promise<void> {
    return this.#queue.over();
  }

  #write(act: () => Promise<unknown>): void {
    this.#queue.run(act).catch(this.#onError);
  }
}

const keyOf = (destination: string, { webhookId, endpoint }: EndpointName): string =>
  `${FAILING}${encodeURIComponent(destination)}/${encodeURIComponent(webhookId ?? endpoint)}`;
