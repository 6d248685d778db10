import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../../cli/files.js';
import { next } from '../../destination/open.js';
import { track } from '../../destination/track.js';
import { startEndpoint, type TestEndpoint } from '../test-endpoint.js';
import { type Member, openMember, pass } from './members.js';

const idsAt = ({ received }: TestEndpoint): string[] =>
  received.map(({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId);

const attemptsOf = ({ destination }: Member): number => destination.counters().attempts;

async function openTwo(url: string): Promise<[Member, Member]> {
  const path = await newFolder();
  return [await openMember(path, url), await openMember(path, url)];
}

describe('processes that share a storage', () => {
  test('hand out deliveries from one of them, whichever takes them in', async () => {
    const endpoint = await startEndpoint(200);
    const [first, second] = await openTwo(endpoint.url);
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    await Promise.all(ids.map((id, index) => [first, second][index % 2]?.destination.deliver(track(id))));
    await pass([first, second], 200);
    await endpoint.has(20);
    await first.destination.idle();
    await pass([first, second], 100);
    expect(idsAt(endpoint).toSorted()).toEqual(ids.toSorted());
    expect([attemptsOf(first), attemptsOf(second)]).toEqual([20, 0]);
    expect(first.destination.endpoints()[0]?.waiting).toBe(0);
  });

  test('know a message that another of them has', async () => {
    const endpoint = await startEndpoint(503);
    const [first, second] = await openTwo(endpoint.url);
    await first.destination.deliver(track('m1'));
    expect(await second.destination.deliver(track('m1'))).toEqual({ id: 'm1', status: 'duplicate' });
  });

  test('go on at once with what a process leaves that closes in order', async () => {
    const endpoint = await startEndpoint(503, 200);
    const [first, second] = await openTwo(endpoint.url);
    await second.destination.deliver(track('m1'));
    await pass([first, second], 200);
    await endpoint.has(1);
    await first.close();
    await pass([second], 10_000);
    await endpoint.has(2);
    await second.destination.idle();
    expect(attemptsOf(second)).toBe(1);
    expect(second.destination.endpoints()[0]?.waiting).toBe(0);
  });

  test('wait ten seconds for one that says nothing, and then do its work', async () => {
    const endpoint = await startEndpoint(200);
    const [first, second] = await openTwo(endpoint.url);
    await pass([first, second], 3_000);
    await second.destination.deliver(track('m1'));
    await pass([second], 9_000);
    expect(endpoint.received).toHaveLength(0);
    await pass([second], 2_000);
    await endpoint.has(1);
    await second.destination.idle();
    expect(attemptsOf(second)).toBe(1);
  });

  test('one that comes back from a long sleep begins nothing that another does by now', async () => {
    const held: ServerResponse[] = [];
    const endpoint = await startEndpoint(503, (_, response) => void held.push(response));
    const [first, second] = await openTwo(endpoint.url);
    const attempted = next(first.destination, 'attempt');
    await first.destination.deliver(track('m1'));
    await attempted;
    // Its retry is due before it next looks around.
    await pass([first, second], 4_900);
    await pass([second], 12_000);
    await endpoint.has(2);
    await first.clock.pass(1_000);
    await pass([first, second], 1_000);
    const delivered = next(second.destination, 'delivered');
    held[0]?.writeHead(200).end();
    await delivered;
    expect([attemptsOf(first), attemptsOf(second)]).toEqual([1, 1]);
    expect(idsAt(endpoint)).toEqual(['m1', 'm1']);
  });

  test('one that was asleep takes in messages, and another hands them out', async () => {
    const endpoint = await startEndpoint(200);
    const [first, second] = await openTwo(endpoint.url);
    await pass([second], 12_000);
    const delivered = next(second.destination, 'delivered');
    await first.destination.deliver(track('m1'));
    await pass([first, second], 300);
    await delivered;
    expect([attemptsOf(first), attemptsOf(second)]).toEqual([0, 1]);
  });

  test('what is replayed at one of them is sent by the one that leads', async () => {
    const endpoint = await startEndpoint(404, 200);
    const [first, second] = await openTwo(endpoint.url);
    const died = next(first.destination, 'dead');
    await first.destination.deliver(track('m1'));
    await died;
    expect(await second.destination.replay({})).toBe(1);
    await pass([first, second], 300);
    await endpoint.has(2);
    await first.destination.idle();
    expect([attemptsOf(first), attemptsOf(second)]).toEqual([2, 0]);
    expect(first.destination.endpoints()[0]?.waiting).toBe(0);
  });

  test('say of an endpoint what the one that leads says', async () => {
    const endpoint = await startEndpoint(503);
    const [first, second] = await openTwo(endpoint.url);
    const attempted = next(first.destination, 'attempt');
    await first.destination.deliver(track('m1'));
    await attempted;
    await pass([first, second], 3_000);
    const [report] = first.destination.endpoints();
    expect(report).toMatchObject({ waiting: 1, state: 'closed' });
    expect(second.destination.endpoints()).toEqual([report]);
  });

  test('what one that was asleep still learns of an attempt puts nothing out of the reach of the one that leads', async () => {
    const held: ServerResponse[] = [];
    const hold = (_: unknown, response: ServerResponse): void => void held.push(response);
    const endpoint = await startEndpoint(hold, hold, 200);
    const [first, second] = await openTwo(endpoint.url);
    await first.destination.deliver(track('m1'));
    await endpoint.has(1);
    await pass([second], 12_000);
    await endpoint.has(2);
    for (const [index, member] of [first, second].entries()) {
      const attempted = next(member.destination, 'attempt');
      held[index]?.writeHead(503).end();
      await attempted;
    }
    await pass([second], 8_000);
    await endpoint.has(3);
    await second.destination.idle();
    expect(second.destination.endpoints()[0]?.waiting).toBe(0);
  });

  test('what one that was asleep still delivers is over for the one that leads', async () => {
    const held: ServerResponse[] = [];
    const hold = (_: unknown, response: ServerResponse): void => void held.push(response);
    const endpoint = await startEndpoint(hold, hold);
    const [first, second] = await openTwo(endpoint.url);
    await first.destination.deliver(track('m1'));
    await endpoint.has(1);
    await pass([second], 12_000);
    await endpoint.has(2);
    const delivered = next(first.destination, 'delivered');
    held[0]?.writeHead(200).end();
    await delivered;
    await pass([second], 200);
    expect(second.destination.endpoints()[0]).toMatchObject({ waiting: 0, inFlight: 1 });
    const attempted = next(second.destination, 'attempt');
    held[1]?.writeHead(503).end();
    expect((await attempted).nextAttemptAt).toBeUndefined();
  });

  test("what one of them claims is nobody else's as long as it is there", async () => {
    const [first, second] = await openTwo('http://127.0.0.1:9/');
    expect(await first.storage.messageIds.claim('web', ['m1', 'm2'], 0)).toEqual(['new', 'new']);
    await pass([first, second], 12_000);
    expect(await second.storage.messageIds.claim('web', ['m1'], 12_000)).toEqual(['claimed']);
    await pass([second], 12_000);
    expect(await second.storage.messageIds.claim('web', ['m1', 'm2'], 24_000)).toEqual(['new', 'new']);
  });

  test('let others lead a destination that one of them closes', async () => {
    const endpoint = await startEndpoint(200);
    const [first, second] = await openTwo(endpoint.url);
    await first.destination.close();
    await pass([first, second], 1_000);
    const delivered = next(second.destination, 'delivered');
    await second.destination.deliver(track('m1'));
    expect((await delivered).id).toBe('m1');
  });
});
