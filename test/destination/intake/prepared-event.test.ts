import { expect, test } from 'vitest';
import { newEventsOf } from '../../../src/destination/intake/prepared-event.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';

const body = Buffer.from('{"type":"track"}');
const preparedEvents = ['m1', 'm2', '//m3'].map((id) => ({
  id,
  type: 'track' as const,
  body,
  origin: { source: 's' },
  user: 'a-user',
}));

const store = { placeFor: (now: number): number => now, partitionOf: () => undefined };

test('a prepared event is stored under its own id, for each webhook, with its origin, size and user', () => {
  const newEvents = newEventsOf(preparedEvents, ['a', 'b'], 5, { store, isOrdered: false });
  expect(newEvents.map(({ event }) => event.id)).toEqual(['m1', 'm2', '//s///m3']);
  const pending = { phase: 'pending', due: 5, history: [] };
  expect(newEvents[0]).toMatchObject({ at: 5, body });
  expect(newEvents[0]?.event).toEqual({
    id: 'm1',
    type: 'track',
    acceptedAt: 5,
    urls: { a: pending, b: pending },
    isDead: false,
    source: 's',
    bytes: body.length,
    user: 'a-user',
  });
});

test('events of an ordered destination are ordered, unless they have no user', () => {
  const [first] = preparedEvents;
  const given = [...preparedEvents.slice(0, 1), ...(first === undefined ? [] : [{ ...first, user: undefined }])];
  const newEvents = newEventsOf(given, ['a'], 5, { store, isOrdered: true });
  expect(newEvents.map(({ event }) => event.isOrdered)).toEqual([true, undefined]);
});

test('new events have increasing places in line, at which their deliveries are due', () => {
  const newEvents = newEventsOf(preparedEvents, ['a', 'b'], 5, { store: new MemoryStore(), isOrdered: false });
  const places = newEvents.map(({ at }) => at);
  expect(places).toEqual([5, 5 + 1 / 1_024, 5 + 2 / 1_024]);
  expect(newEvents.map(({ event }) => Object.values(event.urls).map((state) => 'due' in state && state.due))).toEqual(
    places.map((place) => [place, place]),
  );
  expect(newEvents.map(({ event }) => event.acceptedAt)).toEqual([5, 5, 5]);
});
