import { expect, test } from 'vitest';
import { configOf, destinationOf, serving, withLetters } from '../support.js';

const URL_OF_CRM = 'http://127.0.0.1:9/hook';

test('the jobs of all destinations are listed newest first, and a job can be read by its id', async () => {
  const { storage } = await withLetters(3, URL_OF_CRM);
  const { ask } = await serving(configOf({ destinations: [destinationOf(URL_OF_CRM)] }), { storage });
  const discard = async (json: object) => (await ask('/v1/deliveries/discard', { method: 'POST', json })).body;
  const [one, other] = [await discard({ event: 'page' }), await discard({ destination: 'crm', all: true })];
  const { body } = await ask('/v1/jobs');
  expect(body.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([one.id, other.id]));
  expect((await ask(`/v1/jobs/${other.id}`)).body).toMatchObject({ destination: 'crm', status: 'done', deliveries: 3 });
  expect((await ask(`/v1/jobs/${one.id}`)).body).toMatchObject({ destination: null, deliveries: 0 });
});

test('an unknown job is not found, and cannot be stopped', async () => {
  const { ask } = await serving(configOf());
  for (const method of ['GET', 'DELETE']) expect((await ask('/v1/jobs/j1', { method })).status).toBe(404);
});
