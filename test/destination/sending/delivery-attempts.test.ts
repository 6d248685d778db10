import { expect, test, vi } from 'vitest';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { Reports } from '../../../src/destination/reports/reports.js';
import { Erasure } from '../../../src/destination/retention/erasure.js';
import { DeliveryAttempts } from '../../../src/destination/sending/delivery-attempts.js';
import { type SendRequest, sendToRemoved } from '../../../src/destination/sending/sender.js';
import { EventLog } from '../../../src/store/event-log.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { StoreWriteError } from '../../../src/store/store-errors.js';
import { FakeClock, settled } from '../../support/fake-clock.js';

const WINDOW_MS = 60_000;
const body = Buffer.from('{"type":"track"}');

/** Creates the attempts at one URL, with one event that waits there from the beginning. */
async function attemptsAt(
  url: string,
  { isCutOff = false, send: given }: { isCutOff?: boolean; send?: SendRequest } = {},
) {
  const clock = new FakeClock();
  const store = new MemoryStore();
  const eventLog = new EventLog({ store, settle: 'any', windowMs: WINDOW_MS, random: () => 0.5 });
  const item = { at: clock.now(), id: 'm1' };
  await store.add(newEvent('m1', 'track', [url], clock.now()), body);
  const send = vi.fn(async (): Promise<{ status: number; retryAfter?: string }> => ({ status: 200 }));
  const erasure = new Erasure({ store, eventLog, onErased: () => {} });
  const reports = new Reports(new FakeClock());
  const onHeld = vi.spyOn(reports, 'failed').mockImplementation(() => {});
  const onMoved = vi.fn();
  const attempts = new DeliveryAttempts(
    { key: url, name: { endpoint: url }, send: given ?? (send as SendRequest) },
    {
      ...{ store, eventLog, clock, erasure, reports, recorders: [] },
      endpoints: { isCutOff, moved: onMoved, counted: () => {} },
    },
  );
  return { attempts, clock, store, eventLog, item, send, erasure, onHeld, onMoved };
}

test('an attempt sends the stored body, and records the outcome', async () => {
  const { attempts, store, item, send } = await attemptsAt('a');
  expect(await attempts.attempt(item)).toMatchObject({
    attempt: { result: 'success', status: 200 },
    entry: { state: { phase: 'delivered' } },
  });
  expect(send).toHaveBeenCalledExactlyOnceWith('m1', body, expect.any(Function));
  expect(await store.event('m1')).toBeUndefined();
});

test('the duration of an attempt is that of its request, without the check for deleted users', async () => {
  const { attempts, clock, erasure, item, send } = await attemptsAt('a');
  vi.spyOn(erasure, 'erase').mockImplementation(async () => {
    clock.advance(700);
    return false;
  });
  send.mockImplementation(async () => {
    clock.advance(20);
    return { status: 200 };
  });
  expect((await attempts.attempt(item))?.attempt).toMatchObject({ durationMs: 20 });
});

test.each([
  ['was at hand', { source: 'website', body }],
  ['had to be read', {}],
])(
  'an attempt has the source of its event, although the event is settled during the request: the event %s',
  async (_, atHand) => {
    const { attempts, store, item, send } = await attemptsAt('a');
    await store.update('m1', (event) => ({ ...event, source: 'website' }));
    send.mockImplementation(async () => {
      await store.update('m1', () => undefined);
      return { status: 200 };
    });
    expect(await attempts.attempt({ ...item, ...atHand })).toMatchObject({ source: 'website', entry: undefined });
  },
);

test('no attempt is made if the delivery no longer waits', async () => {
  const { attempts, item, send } = await attemptsAt('a');
  expect(await attempts.attempt({ ...item, at: item.at + 1 })).toBeUndefined();
  expect(await attempts.attempt({ ...item, id: 'm2' })).toBeUndefined();
  expect(send).not.toHaveBeenCalled();
});

test('a first attempt is made however late it is, and a retry only within its window', async () => {
  const { attempts, clock, item, send, onMoved } = await attemptsAt('a');
  send.mockResolvedValueOnce({ status: 503 });
  clock.advance(10 * WINDOW_MS);
  const made = await attempts.attempt(item);
  const state = made?.entry?.state;
  if (state?.phase !== 'retrying') throw new Error('not tried again');
  clock.advance(2 * WINDOW_MS);
  expect(await attempts.attempt({ at: state.due, id: 'm1' })).toBeUndefined();
  expect(send).toHaveBeenCalledOnce();
  expect(onMoved.mock.calls).toMatchObject([[{ state: { phase: 'dead', reason: 'window-over' } }]]);
});

test('an attempt whose request was cut off has no result, and changes nothing', async () => {
  const { attempts, store, item } = await attemptsAt('a', { isCutOff: true });
  const before = await store.event('m1');
  expect(await attempts.attempt(item)).toBeUndefined();
  expect(await store.event('m1')).toBe(before);
});

test('an attempt that cannot be recorded is not repeated, and is recorded once that is possible', async () => {
  const { attempts, clock, eventLog, item, send, onHeld } = await attemptsAt('a');
  const full = new StoreWriteError('no room');
  const record = vi.spyOn(eventLog, 'record').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
  const made = attempts.attempt(item);
  for (const calls of [1, 2]) {
    await settled();
    expect(record).toHaveBeenCalledTimes(calls);
    clock.advance(1_000);
  }
  expect(await made).toMatchObject({ entry: { state: { phase: 'delivered' } } });
  expect(send).toHaveBeenCalledOnce();
  expect(onHeld.mock.calls).toEqual([[full], [full]]);
});

test('any other failure of the store makes the attempt fail', async () => {
  const { attempts, eventLog, item } = await attemptsAt('a');
  vi.spyOn(eventLog, 'record').mockRejectedValueOnce(new Error('no connection'));
  await expect(attempts.attempt(item)).rejects.toThrow('no connection');
});

test('the pause that an endpoint asks for with Retry-After is stored with the attempt', async () => {
  const { attempts, item, send } = await attemptsAt('a');
  send.mockResolvedValueOnce({ status: 503, retryAfter: '30' });
  expect((await attempts.attempt(item))?.attempt).toMatchObject({ result: 'server-error', retryAfterMs: 30_000 });
});

test('ending a delivery makes it dead for the given reason, and ending one that does not exist changes nothing', async () => {
  const { attempts, item, store, onMoved } = await attemptsAt('a');
  await attempts.end({ ...item, id: 'm2' }, 'backlog-full');
  expect(onMoved).not.toHaveBeenCalled();
  await attempts.end(item, 'backlog-full');
  expect(onMoved).toHaveBeenCalledOnce();
  expect((await store.event('m1'))?.urls['a']).toMatchObject({ phase: 'dead', reason: 'backlog-full' });
});

test('a delivery that waits for a removed webhook is dead after an attempt that sends nothing', async () => {
  const { attempts, item } = await attemptsAt('a', { send: sendToRemoved });
  expect(await attempts.attempt(item)).toMatchObject({
    attempt: { result: 'removed' },
    entry: { state: { phase: 'dead', reason: 'permanent' } },
  });
});
