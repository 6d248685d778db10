import { expect } from 'vitest';
import type { AppOptions } from '../../../src/service/api/app.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { observerWith } from '../observing.js';
import { type Asking, configOf, destinationOf, sendBatch, serving, sourceOf, track } from '../support.js';
import { answerProblems, type Operation, responseOf } from './described.js';

/** A service with a delivered event, a dead letter, a rejection, an audience, a computed trait, a deletion and a job. */
export async function seeded() {
  const crm = await startEndpoint(200, 404);
  const observer = observerWith({ page: end('<!doctype html>'), feed: end('data: 1\n\n', 'text/event-stream') });
  const config = configOf({
    sources: [
      sourceOf(),
      sourceOf({ name: 'app', writeKeys: ['app'], trackSchema: { allowed: ['A'], blocked: ['B'] } }),
    ],
    destinations: [destinationOf(crm.url, { webhooks: [{ id: 'crm', url: crm.url }] })],
    audiences: { destinations: ['crm'] },
  });
  const served = await serving(config, { observer });
  await sendBatch(served.url, track('m1'));
  await crm.has(1);
  await sendBatch(served.url, track('m2'), track('m3'), { type: 'track' });
  await served.service.destinations()[0]?.destination.idle();
  const list = { method: 'PUT', headers: { 'content-type': 'application/x-ndjson' }, body: '"u1"\n"u2"\n' };
  await served.ask('/v1/audiences/Buyers', list);
  const values = { ...list, body: '{"userId":"u1","value":7}\n' };
  await served.ask('/v1/traits/Score', values);
  const deletion = await served.ask('/v1/deletions', { method: 'POST', json: { userIds: ['u2'] } });
  const job = await served.ask('/v1/deliveries/discard', { method: 'POST', json: { event: 'alias' } });
  return { ...served, list, values, ids: { deletion: deletion.body.id, job: job.body.id } };
}

const end =
  (text: string, type = 'text/html'): NonNullable<AppOptions['pageHandlers']>['page'] =>
  (_, outgoing) =>
    void outgoing.writeHead(200, { 'Content-Type': type }).end(text);

export type Seeded = Awaited<ReturnType<typeof seeded>>;

/** Makes a request, and compares the answer with its description. */
export async function askDescribed(served: Seeded, operation: Operation, path: string, asking: Asking = {}) {
  const { method } = operation;
  const answer = await served.ask(path, { method, ...asking });
  const at = `${method} ${path} ${answer.status}`;
  const { content } = responseOf(operation, answer.status);
  const [type, described] = Object.entries(content ?? {})[0] ?? [];
  const given = answer.headers.get('content-type')?.split(';')[0];
  expect(given ?? undefined, at).toBe(type);
  if (described !== undefined) expect(answerProblems(described.schema, answer.body), at).toBe('');
  return answer;
}

/** Fills in the path of an operation with names and ids that exist. */
export function pathIn({ path }: Operation, { ids }: Pick<Seeded, 'ids'>): string {
  const name = path.includes('/destinations/') ? 'crm' : path.includes('/sources/') ? 'website' : nameOfSync(path);
  const id = path.includes('/jobs/') ? ids.job : path.includes('/deletions/') ? ids.deletion : 'm2';
  return path.replace(':name', name).replace(':id', id);
}

const nameOfSync = (path: string): string => (path.includes('/traits/') ? 'Score' : 'Buyers');
