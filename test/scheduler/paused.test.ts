import { expect, test } from 'vitest';
import type { EndpointAnswer } from '../../src/delivery/attempt-outcome.js';
import { simulate } from '../destination/simulation.js';
import { settled } from '../support/fake-clock.js';

const HOUR = 60 * 60_000;

test('a paused endpoint accepts deliveries and sends them when it resumes', async () => {
  const { endpoint, accept, clock, sent, ended } = await simulate({
    send: async (): Promise<EndpointAnswer> => ({ status: 200 }),
  });
  endpoint.setPaused(true);
  for (const id of ['m1', 'm2', 'm3']) await accept(id);
  await clock.pass(HOUR);
  expect({ sent, waiting: endpoint.waiting }).toEqual({ sent: [], waiting: 3 });
  endpoint.setPaused(false);
  await settled();
  expect(sent.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3']);
  expect(ended.map(({ as }) => as)).toEqual(['delivered', 'delivered', 'delivered']);
});

test('a paused endpoint lets running requests end', async () => {
  let release = (): void => {};
  const held = new Promise<EndpointAnswer>((resolve) => (release = () => resolve({ status: 200 })));
  const { endpoint, accept, ended } = await simulate({ send: () => held });
  await accept('m1');
  await settled();
  endpoint.setPaused(true);
  release();
  await settled();
  expect(ended).toMatchObject([{ as: 'delivered', id: 'm1' }]);
});

test('a paused endpoint makes no retry, and resumes with those that are due', async () => {
  const answers: EndpointAnswer[] = [{ status: 503 }, { status: 200 }];
  const { endpoint, accept, clock, sent, ended } = await simulate({
    send: async () => answers.shift() ?? { status: 500 },
  });
  await accept('m1');
  await settled();
  endpoint.setPaused(true);
  await clock.pass(HOUR);
  expect(sent).toHaveLength(1);
  endpoint.setPaused(false);
  await settled();
  expect(sent).toHaveLength(2);
  expect(ended).toMatchObject([{ as: 'delivered' }]);
});

test('the window of a delivery keeps running while its endpoint is paused', async () => {
  const { endpoint, accept, clock, sent, ended } = await simulate({
    send: async (): Promise<EndpointAnswer> => ({ status: 503 }),
  });
  await accept('tried');
  await settled();
  endpoint.setPaused(true);
  await accept('never tried');
  await clock.pass(4 * HOUR + 2 * 60_000);
  expect(ended.map(({ as, id }) => `${id} ${as}`).toSorted()).toEqual(['never tried dead', 'tried dead']);
  expect({ sent: sent.length, waiting: endpoint.waiting }).toEqual({ sent: 1, waiting: 0 });
});
