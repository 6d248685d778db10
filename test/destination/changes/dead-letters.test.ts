import { describe, expect, test } from 'vitest';
import type { DeadLetter } from '../../../src/destination/changes/dead-letters.js';
import type { Destination } from '../../../src/destination/destination.js';
import { type Reaction, startEndpoint } from '../../scheduler/test-endpoint.js';
import { HOUR, lettersOf, withLetters } from '../letters.js';
import { next, openDestination } from '../open.js';
import { track } from '../track.js';

const idsOf = async (letters: AsyncIterable<DeadLetter>): Promise<string[]> =>
  (await lettersOf(letters)).map(({ id }) => id);

describe('dead letters', () => {
  test('dead letters are listed with the reason and the attempts', async () => {
    const { destination, url } = await withLetters();
    const [letter] = await lettersOf(destination.deadLetters());
    expect(letter).toMatchObject({ id: 'm1', type: 'track', endpoint: url, reason: 'permanent' });
    expect(letter?.attempts).toMatchObject([{ result: 'rejected', status: 404 }]);
  });

  test('dead letters show the beginning of their last answer only, and no answer with `keepAnswers: false`', async () => {
    const answer: Reaction = (_, response) => response.writeHead(404).end('no such thing: hunter2hunter2');
    const endpoint = await startEndpoint((_, response) => response.writeHead(503).end('busy'), answer, answer);
    const webhooks = [{ url: endpoint.url, secret: 'hunter2hunter2' }];
    for (const [keepAnswers, expected] of [
      [undefined, 'no such thing: ***'],
      [false, undefined],
    ] as const) {
      const { destination, clock } = await openDestination({ webhooks, keepAnswers });
      const [first, dead] = [next(destination, 'attempt'), next(destination, 'dead')];
      await destination.deliver(track('m1'));
      if (keepAnswers === undefined) {
        expect((await first).attempt).toMatchObject({ status: 503, answer: 'busy' });
        await clock.pass(5_000);
      }
      await dead;
      const [letter] = await lettersOf(destination.deadLetters());
      expect(letter?.attempts.map((attempt) => attempt.answer)).toEqual(
        keepAnswers === undefined ? [undefined, expected] : [expected],
      );
    }
  });

  test('dead letters are found by id, endpoint, type and time', async () => {
    const { destination, url, clock, ids } = await withLetters();
    const [m1 = '', deletion = '', m3 = ''] = ids;
    const first = clock.now() - 3 * HOUR;
    const find = (filter: Parameters<Destination['deadLetters']>[0]) => idsOf(destination.deadLetters(filter));
    expect(await find({})).toEqual([m1, deletion, m3]);
    expect(await find({ id: m3 })).toEqual([m3]);
    expect(await find({ id: 'none' })).toEqual([]);
    expect(await find({ endpoint: url })).toEqual([m1, deletion, m3]);
    expect(await find({ endpoint: 'https://example.com/' })).toEqual([]);
    expect(await find({ type: 'delete' })).toEqual([deletion]);
    expect(await find({ from: first + 1 })).toEqual([deletion, m3]);
    expect(await find({ from: new Date(first), to: new Date(first + HOUR) })).toEqual([m1]);
    expect(await find({ type: 'track', from: first + 1 })).toEqual([m3]);
    expect(await find({ id: m1, from: first + 1 })).toEqual([]);
  });

  test('replayed dead letters are sent again with the same bytes, and are no longer dead letters', async () => {
    const endpoint = await startEndpoint(410, 200);
    const { destination } = await openDestination({ webhooks: [{ url: endpoint.url }] });
    const dead = next(destination, 'dead');
    await destination.deliver(track('m1'));
    await dead;
    expect(await destination.replay({ id: 'm1' })).toBe(1);
    await destination.idle();
    expect(endpoint.received[1]?.body).toEqual(endpoint.received[0]?.body);
    expect(await idsOf(destination.deadLetters())).toEqual([]);
    expect(destination.counters()).toMatchObject({ dead: 1, replayed: 1, delivered: 1 });
  });

  test('replayed deliveries that fail again become dead letters with the complete history', async () => {
    const { destination } = await withLetters(404);
    const again = next(destination, 'dead');
    await destination.replay({ id: 'm1' });
    const { endpoints } = await again;
    expect(endpoints[0]?.attempts).toHaveLength(2);
  });

  test('dead letters are replayed by type', async () => {
    const { destination, ids } = await withLetters(200);
    expect(await destination.replay({ type: 'delete' })).toBe(1);
    await destination.idle();
    expect(await idsOf(destination.deadLetters())).toEqual([ids[0], ids[2]]);
  });

  test('discarded dead letters are gone, and their ids are accepted again', async () => {
    const { destination, ids } = await withLetters(200);
    expect(await destination.discard({ type: 'track' })).toBe(2);
    expect(await idsOf(destination.deadLetters())).toEqual([ids[1]]);
    expect((await destination.deliver(track('m1'))).status).toBe('accepted');
    await destination.idle();
  });

  test('an event with the id of a dead letter is a duplicate', async () => {
    const { destination } = await withLetters();
    expect(await destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'duplicate' });
  });

  test('dead letters are replayed only at the URLs where they are dead', async () => {
    const [good, bad] = [await startEndpoint(200), await startEndpoint(404, 200)];
    const { destination } = await openDestination({
      webhooks: [good, bad].map(({ url }) => ({ url })),
      settle: 'each',
    });
    await destination.deliver(track('m1'));
    await destination.idle();
    expect(await destination.replay({})).toBe(1);
    await destination.idle();
    expect([good.received.length, bad.received.length]).toEqual([1, 2]);
    expect(await destination.explain('m1')).toBeUndefined();
  });
});
