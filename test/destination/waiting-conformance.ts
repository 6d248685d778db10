import { describe, expect, onTestFinished, test } from 'vitest';
import type { BulkProgress } from '../../src/destination/changes/bulk.js';
import type { WaitingFilter } from '../../src/destination/changes/waiting-deliveries.js';
import type { Destination } from '../../src/destination/destination.js';
import type { DestinationOptions } from '../../src/destination/settings/destination-options.js';
import type { EventStore } from '../../src/store/event-store.js';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import { deliveriesIn, type StorageUnderTest } from '../store/storage-under-test.js';
import { openDestination } from './open.js';
import { track } from './track.js';

const of = (userId: string, messageId: string) => ({ ...track(messageId), userId });

const idsOf = async (destination: Destination, filter?: WaitingFilter): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of destination.waitingDeliveries(filter)) ids.push(id);
  return ids;
};

const arrived = ({ received }: TestEndpoint): string[] =>
  received.map(({ body }) => JSON.parse(body.toString()).messageId).sort();

/** Tests that must pass for a destination on any storage. */
export function describeWaiting(under: StorageUnderTest): void {
  describe(`waiting deliveries on ${under.name}`, () => {
    /** Opens a paused destination with m0 and m2 of u1, and m1 and m3 of u2. */
    async function waiting(endpoints: TestEndpoint[], options: Partial<Omit<DestinationOptions, 'store'>> = {}) {
      const open = await deliveriesIn(under).setUp();
      const store: EventStore = await open();
      const webhooks = endpoints.map(({ url }) => ({ url }));
      const { destination } = await openDestination({ ...options, webhooks, store });
      onTestFinished(() => destination.setPaused(true));
      destination.setPaused(true);
      for (const [index, user] of ['u1', 'u2', 'u1', 'u2'].entries()) await destination.deliver(of(user, `m${index}`));
      return destination;
    }

    test('waiting deliveries are found by user, webhook, type and id', async () => {
      const [one, other] = [await startEndpoint(200), await startEndpoint(200)];
      const destination = await waiting([one, other]);
      expect((await idsOf(destination, { user: 'u1' })).sort()).toEqual(['m0', 'm0', 'm2', 'm2']);
      expect((await idsOf(destination, { user: 'u1', endpoint: one.url })).sort()).toEqual(['m0', 'm2']);
      expect(await idsOf(destination, { type: 'page' })).toEqual([]);
      expect(await idsOf(destination, { id: 'm3', endpoint: other.url })).toEqual(['m3']);
    });

    test('waiting deliveries of a user can be discarded, and only the others are sent', async () => {
      const endpoint = await startEndpoint(200);
      const destination = await waiting([endpoint]);
      expect(await destination.discard({ state: 'waiting', user: 'u1' })).toBe(2);
      expect((await idsOf(destination)).sort()).toEqual(['m1', 'm3']);
      destination.setPaused(false);
      await destination.idle();
      expect(arrived(endpoint)).toEqual(['m1', 'm3']);
      expect(destination.counters()).toMatchObject({ accepted: 4, delivered: 2, discarded: 2, dead: 0 });
    });

    test('waiting deliveries can be discarded at one webhook, and are still sent to the other', async () => {
      const [one, other] = [await startEndpoint(200), await startEndpoint(200)];
      const destination = await waiting([one, other], { settle: 'each' });
      expect(await destination.discard({ state: 'waiting', user: 'u1', endpoint: one.url })).toBe(2);
      destination.setPaused(false);
      await destination.idle();
      expect([arrived(one), arrived(other)]).toEqual([
        ['m1', 'm3'],
        ['m0', 'm1', 'm2', 'm3'],
      ]);
      expect(destination.counters()).toMatchObject({ accepted: 4, delivered: 6, discarded: 2 });
    });

    test('waiting deliveries are also discarded from behind others of their user, and the next in line is sent', async () => {
      const endpoint = await startEndpoint(200);
      const destination = await waiting([endpoint], { ordered: 'user' });
      expect(await destination.discard({ state: 'waiting', id: 'm0' })).toBe(1);
      expect(await destination.discard({ state: 'waiting', user: 'u2' })).toBe(2);
      destination.setPaused(false);
      await destination.idle();
      expect(arrived(endpoint)).toEqual(['m2']);
      expect(destination.endpoints()).toMatchObject([{ waiting: 0 }]);
    });

    test('a discard can continue after the cursor of an earlier one that was stopped', async () => {
      const endpoint = await startEndpoint(200);
      const destination = await waiting([endpoint]);
      for (let index = 4; index < 300; index++) await destination.deliver(of('u1', `m${index}`));
      const stop = new AbortController();
      let cursor: string | undefined;
      const onProgress = (progress: BulkProgress): void => {
        cursor = progress.cursor;
        stop.abort();
      };
      const all = { state: 'waiting' } as const;
      const first = await destination.discard(all, { signal: stop.signal, onProgress });
      expect(first).toBeLessThan(300);
      expect(await destination.discard(all, { after: cursor })).toBe(300 - first);
      expect(await idsOf(destination)).toEqual([]);
    });

    test('waiting deliveries cannot be discarded by a reason, because they are not dead letters', async () => {
      const destination = await waiting([await startEndpoint(200)]);
      const discarding = destination.discard({ state: 'waiting', reason: 'permanent' });
      await expect(discarding).rejects.toMatchObject({ option: 'reason', message: /A waiting delivery has not died/ });
      expect(await destination.discard({ user: 'u1' })).toBe(0);
    });
  });
}
