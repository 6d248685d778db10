import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Env } from '../../../src/service/api/admin-router.js';
import { listBody, orRefusal } from '../../../src/service/api/synced-routes.js';
import { syncErrors } from '../../../src/service/audiences/audience-errors.js';
import { answered } from './answered.js';

const app = new Hono<Env>();
app.onError((error, context) => context.json({ code: (error as { code?: string }).code, message: error.message }));
app.post('/list', async (context) => {
  let bytes = 0;
  for await (const chunk of listBody(context)) bytes += chunk.length;
  return context.json({ bytes });
});

const post = async (path: string, body: string, type: string): Promise<unknown> =>
  (await answered(app, path, { method: 'POST', body, headers: { 'Content-Type': type } })).json();

test('a list is accepted only as NDJSON', async () => {
  expect(await post('/list', '1\n2\n', 'application/x-ndjson')).toEqual({ bytes: 4 });
  expect(await post('/list', '1\n2\n', 'application/json')).toMatchObject({ code: 'not_ndjson' });
});

const refusalOf = (error: unknown): unknown => {
  try {
    return orRefusal(error);
  } catch (refusal) {
    return refusal;
  }
};

test('an error of the caller becomes a refusal with its line or Retry-After, and any other error is thrown unchanged', () => {
  expect(refusalOf(syncErrors.entry('trait', 'line 2', 'wrong', 2))).toMatchObject({
    ...{ status: 400, code: 'trait_invalid_value', line: 2 },
  });
  expect(refusalOf(syncErrors.busy({ kind: 'trait', name: 'Score' }))).toMatchObject({
    ...{ status: 409, code: 'trait_busy', headers: { 'Retry-After': '5' } },
  });
  const error = new Error('the disk is full');
  expect(refusalOf(error)).toBe(error);
});

test.each(['audience', 'trait'] as const)(
  'each error of a change of the kind %s becomes a refusal with its status and message',
  (kind) => {
    const named = { kind, name: 'Score', trait: 'score' };
    const errors = [
      [400, syncErrors.name(kind, 'text', 'nothing')],
      [400, syncErrors.entry(kind, 'line 2', 'wrong')],
      [422, syncErrors.change(kind, 'too many')],
      [404, syncErrors.missing(named)],
      [409, syncErrors.taken(named, named)],
      [409, syncErrors.busy(named)],
      [503, syncErrors.unfinished(named, undefined)],
      [503, syncErrors.closed(kind)],
    ] as const;
    for (const [status, error] of errors) expect(refusalOf(error)).toMatchObject({ status, message: error.message });
  },
);
