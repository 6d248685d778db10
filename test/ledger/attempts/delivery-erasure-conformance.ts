import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/time/clock.js';
import { waitingDeliveries } from '../../../src/destination/changes/waiting-deliveries.js';
import { Destination } from '../../../src/destination/destination.js';
import { ErasedUsers } from '../../../src/ledger/attempts/erased-users.js';
import type { Storage } from '../../../src/store/storage.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { seal } from '../../store/seal.js';
import type { StorageUnderTest } from '../../store/storage-under-test.js';

/** Returns the clock of a process whose time is wrong by `ms` milliseconds. */
function clockThatIsOff(ms: number): Clock {
  const clock = systemClock();
  return { ...clock, now: () => clock.now() + ms, wall: () => clock.wall() + ms };
}

/** Returns the real clock, stopped. */
function stoppedClock(): Clock {
  const clock = systemClock();
  const now = clock.now();
  return { ...clock, now: () => now, wall: () => now };
}

/** Tests on every storage which deliveries of a destination a deletion covers, whatever the clocks of the processes show. */
export function describeDeliveryErasing({ name, setUp, lasts, isShared }: StorageUnderTest): void {
  const start = async (status = 200) => {
    const open = await setUp();
    const endpoint = await startEndpoint(status);
    let [last, isOpen] = [await open(), true];
    const close = async (): Promise<void> => {
      if (isOpen && lasts) await last.close();
      isOpen = false;
    };
    onTestFinished(close);
    /** Opens a process on the storage: at the same time as the others if it is shared, and otherwise after them. */
    const process = async (clock: Clock) => {
      if (isShared) last = await open();
      else if (!isOpen) [last, isOpen] = [await open(), true];
      return processOn(last, endpoint.url, clock);
    };
    /** Ends the first process if only one can have the storage open. */
    const handOver = async ({ destination }: Process): Promise<void> => {
      if (isShared) return;
      await destination.close();
      if (lasts) await close();
    };
    const sent = () => endpoint.received.map(({ body }) => JSON.parse(body.toString()).messageId);
    return { endpoint, process, handOver, sent };
  };

  describe(`waiting deliveries of deleted users in ${name}`, () => {
    test.each([
      ['two seconds ahead', 2_000],
      ['an hour ahead', 3_600_000],
      ['an hour behind', -3_600_000],
    ])(
      'an event from before the deletion is not sent if the clock of the process that accepted it is %s',
      async (_, off) => {
        const { process, handOver, sent } = await start();
        const accepting = await process(clockThatIsOff(off));
        await accepting.deliver('of ann', 'ann');
        await accepting.deliver('of bob', 'bob');
        await handOver(accepting);
        const deleting = await process(systemClock());
        await deleting.erasedUsers.mark(['ann'], await deleting.erasedUsers.count());
        deleting.destination.setPaused(false);
        await deleting.destination.idle();
        expect(sent()).toEqual(['of bob']);
        expect(await deleting.destination.explain('of ann')).toBeUndefined();
      },
    );

    test.each([
      ['two seconds behind', -2_000],
      ['an hour behind', -3_600_000],
      ['an hour ahead', 3_600_000],
    ])('an event from after the deletion is sent if the clock of the process that accepts it is %s', async (_, off) => {
      const { process, handOver, sent } = await start();
      const deleting = await process(systemClock());
      await deleting.erasedUsers.mark(['ann'], await deleting.erasedUsers.count());
      await handOver(deleting);
      const accepting = await process(clockThatIsOff(off));
      await accepting.deliver('of ann', 'ann');
      accepting.destination.setPaused(false);
      await accepting.destination.idle();
      expect(sent()).toEqual(['of ann']);
    });

    test('within one millisecond, an event accepted before the deletion is not sent, and one accepted after it is sent', async () => {
      const { process, sent } = await start();
      const { destination, deliver, erasedUsers } = await process(stoppedClock());
      await deliver('before', 'ann');
      await erasedUsers.mark(['ann'], await erasedUsers.count());
      await deliver('after', 'ann');
      await deliver('of the deletion', 'ann', 'delete');
      destination.setPaused(false);
      await destination.idle();
      expect(sent().sort()).toEqual(['after', undefined]);
      expect(destination.counters()).toMatchObject({ accepted: 3, delivered: 2, erased: 1, dead: 0 });
    });

    test('after a deletion has ended, the API no longer lists, counts or explains waiting deliveries of its users', async () => {
      const { process, sent } = await start();
      const { destination, deliver, erasedUsers, waiting } = await process(systemClock());
      for (const id of ['ann 1', 'ann 2', 'bob 1']) await deliver(id, id.slice(0, 3));
      await destination.deliver({
        type: 'alias',
        messageId: 'to cy',
        userId: 'cy',
        previousId: 'ann',
        timestamp: new Date(),
      });
      await erasedUsers.mark(['ann'], await erasedUsers.count());
      await deliver('ann 3', 'ann');
      await deliver('of the deletion', 'ann', 'delete');
      expect(await destination.forget(['ann'], new AbortController().signal)).toBe(3);
      expect(await waiting()).toEqual(['ann 3', 'bob 1', 'delete']);
      await expect.poll(() => destination.endpoints()[0]?.waiting).toBe(3);
      expect(await destination.explain('ann 1')).toBeUndefined();
      expect(destination.counters()).toMatchObject({ accepted: 6, erased: 3 });
      destination.setPaused(false);
      await destination.idle();
      expect(sent().sort()).toEqual(['ann 3', 'bob 1', undefined]);
      expect(destination.counters()).toMatchObject({ accepted: 6, delivered: 3, erased: 3, dead: 0 });
    });

    test('an alias from before the deletion of either of its two users is not sent after it', async () => {
      const { process, sent } = await start();
      const { destination, erasedUsers } = await process(systemClock());
      const alias = (messageId: string, userId: string, previousId: string) =>
        destination.deliver({ type: 'alias', messageId, userId, previousId, timestamp: new Date() });
      await alias('from ann', 'cy', 'ann');
      await alias('to ann', 'ann', 'cy');
      await alias('of others', 'cy', 'dan');
      await erasedUsers.mark(['ann'], await erasedUsers.count());
      await alias('after', 'cy', 'ann');
      destination.setPaused(false);
      await destination.idle();
      expect(sent().sort()).toEqual(['after', 'of others']);
      expect(destination.counters()).toMatchObject({ accepted: 4, delivered: 2, erased: 2 });
    });

    test('a dead alias from a deleted user is discarded', async () => {
      const { process } = await start(400);
      const { destination, erasedUsers } = await process(systemClock());
      await destination.deliver({
        type: 'alias',
        messageId: 'a',
        userId: 'cy',
        previousId: 'ann',
        timestamp: new Date(),
      });
      destination.setPaused(false);
      await destination.idle();
      await erasedUsers.mark(['ann'], await erasedUsers.count());
      expect(await destination.forget(['ann'], new AbortController().signal)).toBe(1);
      expect(await lettersOf(destination)).toEqual([]);
    });

    test('a dead letter of a deleted user is discarded and not sent by a replay, even if the accepting clock was ahead', async () => {
      const { process, handOver, sent } = await start(400);
      const accepting = await process(clockThatIsOff(3_600_000));
      for (const id of ['replayed', 'kept', 'of bob']) await accepting.deliver(id, id === 'of bob' ? 'bob' : 'ann');
      accepting.destination.setPaused(false);
      await accepting.destination.idle();
      accepting.destination.setPaused(true);
      await handOver(accepting);
      const { destination, erasedUsers } = await process(systemClock());
      const before = sent().length;
      const dead = await lettersOf(destination);
      await erasedUsers.mark(['ann'], await erasedUsers.count());
      expect(await destination.replay({ id: 'replayed' })).toBe(0);
      expect(await destination.forget(['ann', 'bob'], new AbortController().signal)).toBe(
        dead.includes('kept') ? 1 : 0,
      );
      expect(await lettersOf(destination)).toEqual(dead.filter((id) => id === 'of bob'));
      expect(sent()).toHaveLength(before);
    });
  });
}

type Process = Awaited<ReturnType<typeof processOn>>;

/** Starts a process with a paused destination. */
async function processOn(storage: Storage, url: string, clock: Clock) {
  const erasedUsers = new ErasedUsers(storage.keyValues, clock, storage.clock !== undefined);
  const store = await storage.deliveries('orders');
  const destination = await Destination.openIn(
    { webhooks: [{ url }], allowLoopback: true, store: seal(store) },
    { clock, random: () => 0.5, deletedUsers: erasedUsers, isPaused: () => true },
  );
  onTestFinished(() => destination.close({ timeout: 0 }));
  const deliver = (messageId: string, userId: string, type: 'track' | 'delete' = 'track') =>
    destination.deliver(
      type === 'delete'
        ? { type, userId, timestamp: new Date() }
        : { type, event: 'Bought', messageId, userId, timestamp: new Date() },
    );
  const waiting = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id, type } of waitingDeliveries(store, {})) ids.push(type === 'delete' ? type : id);
    return ids.sort();
  };
  return { destination, erasedUsers, deliver, waiting };
}

async function lettersOf(destination: Destination): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of destination.deadLetters()) ids.push(id);
  return ids;
}
