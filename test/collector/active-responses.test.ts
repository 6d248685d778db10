import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { ActiveResponses } from '../../src/collector/responses.js';

/** The parts of a response that are used. */
const answer = () => Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse;

test('all callers that wait for the open responses are notified', async () => {
  const underWay = new ActiveResponses();
  const [one, other] = [answer(), answer()];
  for (const outgoing of [one, other]) underWay.enter(outgoing);
  let told = 0;
  const waiting = [underWay.idle(), underWay.idle(60_000), underWay.idle()].map((idle) => idle.then(() => told++));
  one.emit('close');
  await new Promise(setImmediate);
  expect(told).toBe(0);
  other.emit('close');
  await Promise.all(waiting);
});

test('a caller that stops waiting for the open responses does not affect the others', async () => {
  const underWay = new ActiveResponses();
  const outgoing = answer();
  underWay.enter(outgoing);
  const patient = underWay.idle();
  await underWay.idle(1);
  expect(underWay.size).toBe(1);
  outgoing.emit('close');
  await patient;
});
