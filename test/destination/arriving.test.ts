import { expect, test } from 'vitest';
import { arrivedAt, storedEvents } from '../../src/destination/arriving.js';

const body = Buffer.from('{"type":"track"}');
const preparedEvents = ['m1', 'm2', '//m3'].map((id) => ({
  id,
  type: 'track' as const,
  body,
  origin: { source: 's' },
  user: 'a-user',
}));

test('a store keeps a prepared event under an id of its own, for each webhook, with its origin, size and user', () => {
  const events = storedEvents(preparedEvents, ['a', 'b'], 5);
  expect(events.map(({ id }) => id)).toEqual(['m1', 'm2', '//s///m3']);
  const pending = { phase: 'pending', due: 5, history: [] };
  expect(events[0]).toEqual({
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

test('of what became of messages a destination finds its own deliveries, and passes over those its source has sent before', () => {
  const taken = [['x', 'm1'], ['x', undefined], 'known', ['x', 'of nobody here']] as const;
  expect(arrivedAt(1, preparedEvents, taken)).toEqual({ fresh: [{ id: 'm1', body }], duplicates: 1 });
});
