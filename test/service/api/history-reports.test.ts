import { expect, test } from 'vitest';
import { sendBatch, track } from '../support.js';
import { servingTo } from './serving-to.js';

test('a destination lists how its attempts failed, with an event that can be looked up', async () => {
  const { url, crm, ask, attempted } = await servingTo([404]);
  await sendBatch(url, track('m1'));
  await attempted(1);
  await sendBatch(url, track('m2'));
  await attempted(2);
  const { status, body } = await ask('/v1/destinations/crm/errors');
  const time = expect.stringMatching(/Z$/);
  expect({ status, body }).toEqual({
    status: 200,
    body: [
      {
        webhook: { url: crm.url },
        ...{ result: '404', count: 2, firstAt: time, lastAt: time },
        example: { id: 'm2', source: 'website' },
      },
    ],
  });
  expect((await ask(`/v1/deliveries/${body[0].example.id}`)).status).toBe(200);
  expect((await ask('/v1/destinations/none/errors')).status).toBe(404);
});
