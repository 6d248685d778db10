import { onTestFinished } from 'vitest';
import { Destination } from '../../src/destination/destination.js';
import type { DestinationEvents } from '../../src/destination/destination-events.js';
import type { PreparedEvent } from '../../src/destination/intake/prepared-event.js';
import type { Lookup } from '../../src/destination/network/ssrf-guard.js';
import type { Recorder } from '../../src/destination/reports/recorder.js';
import type { DestinationEventName } from '../../src/destination/reports/reports.js';
import type { DestinationOptions } from '../../src/destination/settings/destination-options.js';
import type { EventStore } from '../../src/store/event-store.js';
import type { Storage } from '../../src/store/storage.js';
import { seal } from '../store/seal.js';
import { FakeClock, settled } from '../support/fake-clock.js';

/** Opens a destination on this machine, with a clock that the test moves and jitter fixed in the middle. */
export async function openDestination(
  { store, ...options }: Omit<DestinationOptions, 'store'> & { store?: EventStore },
  {
    clock = new FakeClock(),
    lookup,
    recorders,
  }: { clock?: FakeClock; lookup?: Lookup; recorders?: readonly Recorder[] } = {},
): Promise<{ destination: Destination; clock: FakeClock }> {
  const dependencies = { clock, random: () => 0.5, lookup, recorders };
  const settings = { allowLoopback: true, ...options, store: store && seal(store) };
  const destination = await Destination.openIn(settings, dependencies);
  onTestFinished(async () => {
    const closed = destination.close({ timeout: 0 });
    await settled();
    await clock.pass(0);
    await closed;
  });
  return { destination, clock };
}

/** Resolves to the next report of that name for which the condition holds. */
export const next = <N extends DestinationEventName>(
  destination: Destination,
  name: N,
  holds: (report: DestinationEvents[N]) => boolean = () => true,
): Promise<DestinationEvents[N]> =>
  new Promise((resolve) => {
    const stop = destination.on(name, (report) => {
      if (!holds(report)) return;
      stop();
      resolve(report);
    });
  });

/** Makes a storage take in the events for this destination only. Resolves with the number of new events. */
export async function takeIn(
  storage: Storage,
  { destination, store }: { destination: Destination; store: EventStore },
  preparedEvents: readonly PreparedEvent[],
  now = 0,
): Promise<number> {
  const newEvents = destination.arrivals.newEvents(preparedEvents, now, 0);
  const intakes = preparedEvents.map(({ id, body }, index) => {
    const event = newEvents[index]?.event;
    return { id, body, deliveries: event === undefined ? [] : [{ store, event }] };
  });
  const storing = storage.takeIn(preparedEvents[0]?.origin?.source ?? 'web', intakes, now);
  return destination.arrivals.accept(newEvents, storing, 0);
}
