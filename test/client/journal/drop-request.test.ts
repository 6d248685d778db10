import { expect, test } from 'vitest';
import { answerDrop, erasesDamage, requestDrop } from '../../../src/client/journal/drop-request.js';
import type { IsMeant } from '../../../src/client/journal/message-filter.js';
import type { OwnerFolder } from '../../../src/client/journal/owner-folder.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { newOwner } from './left-folder.js';

const COUNTS = { waiting: 1, dead: 2, sent: 3 };
const of = (userId: string) => ({ type: 'track', messageId: 'm', timestamp: '2026-11-20T12:00:00.000Z', userId });

const ownerThat = (answer?: (request: string) => Promise<string>): OwnerFolder =>
  newOwner(temporaryFolder(), undefined, { answer });

test('a living client that is asked to drop messages by a filter answers with their number', async () => {
  const asked: boolean[] = [];
  const forget = async (isMeant: IsMeant, damage: boolean) => {
    asked.push(isMeant(of('u1')), isMeant(of('u2')), damage);
    return COUNTS;
  };
  const { path } = ownerThat((request) => answerDrop(request, forget));
  expect(await requestDrop(path, { userId: 'u1' })).toEqual(COUNTS);
  expect(asked).toEqual([true, false, true]);
});

test('a client that cannot drop messages answers with the reason, and without an answer the result is undefined', async () => {
  const failing = ownerThat((request) => answerDrop(request, () => Promise.reject(new Error('the disk is full'))));
  await expect(requestDrop(failing.path, {})).rejects.toThrow('the disk is full');
  expect(await requestDrop(ownerThat().path, {})).toBeUndefined();
});

test.each(['{"version":2,"drop":{}}', '{"version":1,"drop":{"userId":"u1","colour":"red"}}', '{"version":1}'])(
  'a client refuses the request %s, because it does not know every part of it',
  async (request) => {
    const answer = JSON.parse(await answerDrop(request, async () => COUNTS));
    expect(answer.error).toContain('does not know this request');
  },
);

test('a drop by an id, or of everything, also erases damage', () => {
  expect([{}, { userId: 'u1' }, { type: 'track' }].map(erasesDamage)).toEqual([true, true, false]);
});
