import { createHash } from 'node:crypto';
import { resultOf } from '../../delivery/state.js';
import type { Attempted, Recorder } from '../../destination/reports/recorder.js';
import { shownUrl } from '../../destination/sending/shown-url.js';
import { Examples, type ExamplesOptions } from './examples.js';

/** The latest attempt that failed at a webhook with a result. */
export interface DeliveryErrorExample {
  readonly url: string;
  readonly webhookId?: string | undefined;
  /** The status, or Node's name of the error: `503`, `ECONNREFUSED`, `TIMEOUT`. */
  readonly result: string;
  /** The id of the event. */
  readonly id: string;
  readonly source?: string | undefined;
}

/** Stands for the results that are counted together, because an endpoint may answer anything. */
const OTHER = '(other)';

/** Counts the failed attempts of destinations by webhook and result, and keeps the latest example of each. */
export class DeliveryErrors implements Recorder {
  readonly examples: Examples<DeliveryErrorExample>;

  constructor(options: ExamplesOptions) {
    this.examples = new Examples('delivery-errors/', options);
  }

  recordFailure({ destination, id, key, name, attempt, source }: Attempted): void {
    const known = kindOf(key, resultOf(attempt));
    const isKnown = this.examples.hasRoomFor(destination, known);
    const result = isKnown ? resultOf(attempt) : OTHER;
    const { webhookId } = name;
    this.examples.add(destination, isKnown ? known : kindOf(key, OTHER), () => ({
      ...{ url: shownUrl(name.endpoint), webhookId, result, id, source },
    }));
  }
}

/** Returns a short name for a key, because the key of a webhook contains its URL. */
const kindOf = (key: string, result: string): string =>
  createHash('sha256').update(`${result} ${key}`).digest('base64url').slice(0, 16);
