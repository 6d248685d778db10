import type { Clock } from '../../base/time/clock.js';
import { CLOSED } from '../../delivery/health.js';
import { EventLog } from '../../store/event-log.js';
import type { EventStore } from '../../store/event-store.js';
import { eventOf } from '../changes/dead-letters.js';
import { LetterChanges } from '../changes/letter-changes.js';
import { Erasure } from '../retention/erasure.js';
import { behindAt, type EndpointExplanation, type Explanation, explain } from './explain-endpoint.js';
import { KnownWebhooks } from './known-webhooks.js';

/** Where an event stands, as far as a store shows it without a destination and its settings. */
export interface StoredExplanation extends Omit<Explanation, 'settle' | 'endpoints'> {
  endpoints: Omit<EndpointExplanation, 'triedUntil' | 'failing'>[];
}

// A store does not contain these settings, and nothing below depends on them. Explanations leave them out. Replaying one letter
// leaves the other letters of the event as they are, which `each` requires and `any` allows for the time being.
const UNKNOWN_SETTINGS = { settle: 'each', windowMs: 0, isPaused: false } as const;

/**
 * Returns the changes of a store that no destination in this process has open. They send nothing: what they mark for delivery is
 * sent when a destination next opens the store.
 */
export function storedLetters(store: EventStore, clock: Clock): LetterChanges {
  const eventLog = new EventLog({ store, ...UNKNOWN_SETTINGS, random: () => 0 });
  return new LetterChanges({
    store,
    eventLog,
    clock,
    // Nobody counts as deleted here. The process that opens the store next knows who was deleted.
    erasure: new Erasure({ store, eventLog, onErased: () => {} }),
    run: (change) => change(),
    onBegun: () => {},
    onCancelled: () => {},
  });
}

/**
 * Explains where an event stands and why; undefined when the store does not have it.
 *
 * @param now in ms since 1970
 * @param isInUse whether a process has the store open
 */
export async function explainStored(
  store: EventStore,
  id: string,
  now: number,
  isInUse: boolean,
): Promise<StoredExplanation | undefined> {
  const event = await eventOf(store, id);
  if (event === undefined) return undefined;
  const endpoint = () => ({ isInFlight: false, breaker: CLOSED, isFailing: false });
  const known = await KnownWebhooks.of(store);
  const behind = await behindAt(store, event);
  const { settle: _, endpoints, ...stored } = explain(event, { now, ...UNKNOWN_SETTINGS, known, endpoint, behind });
  return {
    ...stored,
    endpoints: endpoints.map(({ triedUntil: __, failing: ___, ...rest }) => {
      const isDue = rest.nextAttemptAt !== undefined && rest.nextAttemptAt <= now;
      const who = isInUse ? 'from the process that has the store open' : 'when a destination opens the store';
      return isDue ? { ...rest, why: `it is due, and goes out ${who}` } : rest;
    }),
  };
}
