import { expect, test } from 'vitest';
import { findDeadLetter, listDeadLetters } from '../../../src/service/api/dead-letters.js';
import { configOf, destinationOf, serving, withLetters } from '../support.js';

const HOOK = 'http://127.0.0.1:9/hook?token=hunter2';

async function storeWith(count: number) {
  const { storage } = await withLetters(count, HOOK);
  return storage.deliveries('crm');
}

const page = { limit: 50, cursor: undefined };

test('dead letters are listed page by page, those accepted first first, and the last page has no next', async () => {
  const store = await storeWith(5);
  const first = await listDeadLetters(store, { ...page, limit: 3 });
  const rest = await listDeadLetters(store, { ...page, limit: 3, cursor: first.next });
  const ids = [first, rest].map(({ letters }) => letters.map(({ id }) => id));
  expect(ids).toEqual([
    ['m0', 'm1', 'm2'],
    ['m3', 'm4'],
  ]);
  expect(rest.next).toBeUndefined();
});

test('a dead letter is listed with what its message is called, whose it is, and no secret of its webhook', async () => {
  const { letters } = await listDeadLetters(await storeWith(1), page);
  expect(letters).toEqual([
    {
      id: 'm0',
      type: 'track',
      event: 'Bought',
      userId: 'u0',
      acceptedAt: '1970-01-01T00:00:00.000Z',
      endpoints: [
        {
          url: 'http://127.0.0.1:9/hook?token=***',
          reason: 'permanent',
          diedAt: '1970-01-01T00:00:00.001Z',
          attempts: [],
        },
      ],
    },
  ]);
});

test.each<[string, Parameters<typeof listDeadLetters>[1], string[]]>([
  ['its URL', { ...page, endpoint: HOOK }, ['m0', 'm1', 'm2', 'm3', 'm4']],
  ['its URL as it is shown', { ...page, endpoint: HOOK.replace('hunter2', '***') }, ['m0', 'm1', 'm2', 'm3', 'm4']],
  ['another URL', { ...page, endpoint: 'http://127.0.0.1:9/' }, []],
  ['another type', { ...page, type: 'page' }, []],
  ['another reason', { ...page, reason: 'window-over' }, []],
  ['a time', { ...page, from: new Date(1).toISOString(), to: new Date(3).toISOString() }, ['m1', 'm2']],
])('dead letters are found by %s', async (_, filter, expected) => {
  const { letters } = await listDeadLetters(await storeWith(5), filter);
  expect(letters.map(({ id }) => id)).toEqual(expected);
});

test('a cursor that no answer gave is refused', async () => {
  const store = await storeWith(1);
  await expect(listDeadLetters(store, { ...page, cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_query' });
});

test('an empty cursor in a query is the first page', async () => {
  const { storage } = await withLetters(1, HOOK);
  const { ask } = await serving(configOf({ destinations: [destinationOf(HOOK)] }), { storage });
  const { status, body } = await ask('/v1/destinations/crm/dead-letters?after=&type=');
  expect({ status, letters: body.letters.length }).toEqual({ status: 200, letters: 1 });
});

test('one dead letter is found with its message, and none where it is not', async () => {
  const store = await storeWith(1);
  const message = { type: 'track', event: 'Bought', userId: 'u0' };
  expect(await findDeadLetter(store, 'm0')).toMatchObject({ id: 'm0', body: message });
  expect(await findDeadLetter(store, 'none')).toBeUndefined();
});
