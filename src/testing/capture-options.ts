import { OptionError } from '../base/errors/errors.js';
import { checkObject, ownOf } from '../base/options/check-options.js';
import { describe } from '../base/text/describe.js';
import type { AnalyticsOptions } from '../client/analytics-options.js';
import type { Catalogue } from '../events/catalogue.js';

/** The client's options, all of them optional, without those that would use the network, the disk or signals. */
export interface CaptureOptions<C extends Catalogue = Catalogue>
  extends Partial<Omit<AnalyticsOptions, 'transport' | 'journal' | 'proxy' | 'tls' | 'events'>> {
  /** The events that may be tracked, from `defineEvents`. @default any event */
  events?: C | undefined;
  /** The time at the start. Only `advance` changes it. @default 2026-01-01T00:00:00.000Z */
  now?: Date | string | number | undefined;
}

export const START = '2026-01-01T00:00:00.000Z';

/** Refuses an argument of a captured client's functions. @throws OptionError */
export function checkArgument(name: string, isRight: boolean, expected: string, given: unknown): void {
  if (!isRight) throw new OptionError('client', name, expected, describe(given));
}

const REFUSED = ['transport', 'journal', 'proxy', 'tls'];

/**
 * Returns the options of the client, and the time at which it starts.
 *
 * @throws OptionError
 */
export function resolveCapture<C extends Catalogue>(
  given: CaptureOptions<C>,
): {
  readonly options: AnalyticsOptions;
  readonly startMs: number;
} {
  checkObject(given, { door: 'client', example: 'captureAnalytics({ flushAt: 1 })' });
  const { now = START, writeKey = 'test', endpoint = 'http://collector.test', ...options } = ownOf(given);
  const refused = Object.entries(options).find(([name, value]) => REFUSED.includes(name) && value !== undefined);
  const hint = 'A captured client sends nothing and stores nothing';
  if (refused !== undefined) throw new OptionError('client', refused[0], 'left out', 'a value', hint);
  // `new Date(null)` would be 1970.
  const startMs = now === null ? Number.NaN : new Date(now).getTime();
  if (Number.isNaN(startMs)) throw new OptionError('client', 'now', 'a time', describe(now));
  return { options: { ...options, writeKey, endpoint }, startMs };
}
