import type { DeadLetter } from '../../src/destination/changes/dead-letters.js';
import type { Destination } from '../../src/destination/destination.js';
import { startEndpoint, type TestEndpoint } from '../scheduler/test-endpoint.js';
import type { FakeClock } from '../support/fake-clock.js';
import { next, openDestination } from './open.js';
import { track } from './track.js';

export const HOUR = 60 * 60_000;

export async function lettersOf(letters: AsyncIterable<DeadLetter>): Promise<DeadLetter[]> {
  const all: DeadLetter[] = [];
  for await (const letter of letters) all.push(letter);
  return all;
}

/** Returns the ids of the messages that an endpoint received, sorted. */
export const idsAt = ({ received }: TestEndpoint): string[] =>
  received.map(({ body }) => JSON.parse(body.toString()).messageId).sort();

export const webhooksAt = (...endpoints: TestEndpoint[]) => endpoints.map(({ url }) => ({ url }));

/** Opens a destination with three dead letters, an hour apart: a track, a delete, a track. */
export async function withLetters(
  ...reactions: number[]
): Promise<{ destination: Destination; url: string; clock: FakeClock; ids: string[] }> {
  const endpoint = await startEndpoint(404, 404, 404, ...reactions);
  const { destination, clock } = await openDestination({ webhooks: webhooksAt(endpoint) });
  const ids: string[] = [];
  for (const message of [track('m1'), { type: 'delete', userId: 'u1', timestamp: 0 } as const, track('m3')]) {
    const dead = next(destination, 'dead');
    ids.push((await destination.deliver(message)).id);
    await dead;
    await clock.pass(HOUR);
  }
  return { destination, url: endpoint.url, clock, ids };
}
