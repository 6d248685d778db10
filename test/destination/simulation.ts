import type { EndpointAnswer } from '../../src/delivery/attempt-outcome.js';
import { newEvent } from '../../src/delivery/completion-rule.js';
import { Reports } from '../../src/destination/reports/reports.js';
import { Erasure } from '../../src/destination/retention/erasure.js';
import { DeliveryAttempts } from '../../src/destination/sending/delivery-attempts.js';
import type { SendRequest } from '../../src/destination/sending/sender.js';
import { type Bounds, UNBOUNDED } from '../../src/scheduler/backlog-bounds.js';
import { LineEndpoint } from '../../src/scheduler/line-endpoint.js';
import { type EventChange, EventLog, endedAt } from '../../src/store/event-log.js';
import type { EventStore } from '../../src/store/event-store.js';
import { MemoryStore } from '../../src/store/memory/memory-store.js';
import { FakeClock, settled } from '../support/fake-clock.js';

export const URL_A = 'https://a.example/hook';
export const body = Buffer.from('{}');

export interface Simulated {
  store?: EventStore;
  clock?: FakeClock;
  concurrency?: number;
  windowMs?: number;
  limit?: Partial<Bounds>;
  send(id: string): Promise<EndpointAnswer>;
}

/** Simulates one endpoint with everything behind it, except for the sending, which the test provides. */
export async function simulate({
  store = new MemoryStore(),
  clock = new FakeClock(),
  concurrency = 4,
  windowMs = 14_400_000,
  limit = {},
  send,
}: Simulated) {
  const random = () => 0.5;
  const eventLog = new EventLog({ store, settle: 'any', windowMs, mostAgeMs: limit.ageMs, random });
  const ended: { as: string; id: string; at: number }[] = [];
  const sent: { id: string; at: number }[] = [];
  const pauses: number[] = [];
  const errors: unknown[] = [];
  let closings = 0;
  const end = (entry: EventChange): void => {
    for (const _ of endedAt(entry)) endpoint.forget();
    if (entry.ending !== undefined) ended.push({ as: entry.ending.as, id: entry.before.id, at: clock.now() });
  };
  const reports = new Reports(new FakeClock());
  reports.on('error', ({ error }) => errors.push(error));
  reports.on('breaker', ({ state, openUntil }) => {
    if (openUntil !== undefined) pauses.push(openUntil);
    if (state === 'closed') closings++;
  });
  const sendNoted: SendRequest = (id) => {
    sent.push({ id, at: clock.now() });
    return send(id);
  };
  const deliveries = new DeliveryAttempts(
    { key: URL_A, name: { endpoint: URL_A }, send: sendNoted },
    {
      ...{ store, eventLog, clock, reports, recorders: [] },
      erasure: new Erasure({ store, eventLog, onErased: () => {} }),
      endpoints: { isCutOff: false, moved: end, counted: () => {} },
    },
  );
  const [backlog] = await store.backlog();
  const endpoint = new LineEndpoint({
    url: URL_A,
    store,
    clock,
    random,
    concurrency,
    windowMs,
    backlog: backlog === undefined ? 0 : backlog.first + backlog.retry,
    limit: { ...UNBOUNDED, ...limit },
    deliveries,
  });
  const accept = async (id: string): Promise<void> => {
    await store.add(newEvent(id, 'track', [URL_A], clock.now(), { bytes: body.length }), body);
    endpoint.accept({ at: clock.now(), id, body }, false);
  };
  endpoint.start();
  await settled();
  return { store, clock, endpoint, accept, ended, sent, pauses, errors, closings: () => closings };
}
