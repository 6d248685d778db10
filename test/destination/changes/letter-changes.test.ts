import { describe, expect, test } from 'vitest';
import type { Destination } from '../../../src/destination/destination.js';
import { MemoryStore } from '../../../src/store/memory/memory-store.js';
import { startEndpoint, type TestEndpoint } from '../../scheduler/test-endpoint.js';
import { idsAt, lettersOf, webhooksAt } from '../letters.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

describe('dead letters', () => {
  /** Opens a destination whose webhooks differ from those that left the dead letters. */
  async function withLetters(before: TestEndpoint[], after: TestEndpoint[]): Promise<Destination> {
    const store = new MemoryStore();
    const settings = { settle: 'each', store } as const;
    const { destination: old } = await openDestination({ webhooks: webhooksAt(...before), ...settings });
    const dead = next(old, 'dead');
    await old.deliver(track('m1'));
    await dead;
    await old.idle();
    return (await openDestination({ webhooks: webhooksAt(...after), ...settings })).destination;
  }

  test('dead letters of a webhook that has moved are replayed at its new URL, and listed with it', async () => {
    const [old, now] = [await startEndpoint(404), await startEndpoint(200)];
    const destination = await withLetters([old], [now]);
    expect(await lettersOf(destination.deadLetters())).toMatchObject([{ id: 'm1', endpoint: now.url }]);
    expect(await destination.replay({ endpoint: old.url })).toBe(1);
    await destination.idle();
    expect(idsAt(now)).toEqual(['m1']);
    expect(await lettersOf(destination.deadLetters())).toEqual([]);
  });

  test('dead letters of a removed webhook are replayed at the only remaining one', async () => {
    const [removed, kept] = [await startEndpoint(404), await startEndpoint(404, 200)];
    const destination = await withLetters([removed, kept], [kept]);
    expect(await destination.replay({ endpoint: removed.url })).toBe(1);
    await destination.idle();
    expect(idsAt(kept)).toEqual(['m1', 'm1']);
    expect(await destination.explain('m1')).toBeUndefined();
  });

  test('dead letters of a removed webhook stay if the only remaining one already has the event', async () => {
    const [removed, kept] = [await startEndpoint(404), await startEndpoint(200)];
    const destination = await withLetters([removed, kept], [kept]);
    expect(await destination.replay({})).toBe(0);
    expect(idsAt(kept)).toEqual(['m1']);
    expect(await lettersOf(destination.deadLetters())).toMatchObject([{ endpoint: removed.url }]);
  });

  test('dead letters of a removed webhook stay if several remain and `sendTo` is not given; the others are replayed', async () => {
    const [removed, kept, added] = [await startEndpoint(404), await startEndpoint(404, 200), await startEndpoint(200)];
    const second = await startEndpoint(200);
    const destination = await withLetters([removed, kept, second], [kept, second]);
    const replaying = destination.replay({});
    await expect(replaying).rejects.toMatchObject({
      code: 'EVENTFERRY_DESTINATION_REPLAY_TARGET',
      replayed: 1,
      urls: [removed.url],
      webhooks: [kept.url, second.url],
      message: expect.stringContaining('in `sendTo`'),
    });
    await destination.idle();
    expect(idsAt(kept)).toEqual(['m1', 'm1']);
    await expect(destination.replay({}, { sendTo: added.url })).rejects.toMatchObject({ option: 'sendTo' });
    expect(await destination.replay({}, { sendTo: kept.url })).toBe(0);
    expect(await lettersOf(destination.deadLetters())).toMatchObject([{ endpoint: removed.url }]);
  });

  test('dead letters of a removed webhook are replayed at the one given as `sendTo`', async () => {
    const [removed, kept, added] = [await startEndpoint(404), await startEndpoint(200), await startEndpoint(200)];
    const store = new MemoryStore();
    const before = await openDestination({ webhooks: webhooksAt(removed, kept), settle: 'each', store });
    const dead = next(before.destination, 'dead');
    await before.destination.deliver(track('m1'));
    await dead;
    await before.destination.idle();
    const webhooks = [...webhooksAt(kept), { url: added.url, id: 'added' }];
    await openDestination({ webhooks: webhooksAt(kept), settle: 'each', store });
    const { destination } = await openDestination({ webhooks, settle: 'each', store });
    expect(await destination.replay({}, { sendTo: 'added' })).toBe(1);
    await destination.idle();
    expect(idsAt(added)).toEqual(['m1']);
    expect(await lettersOf(destination.deadLetters())).toEqual([]);
  });
});
