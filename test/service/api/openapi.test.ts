import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { openApiDocument } from '../../../.ci/openapi.js';
import { isCollecting } from '../../../src/collector/collector-routes.js';
import { type AppOptions, createApp } from '../../../src/service/api/app.js';
import { STALE } from '../../support/built.js';
import { NEEDED } from '../../support/sample-calls.js';

import { type Asking, configOf, serving, TOKEN } from '../support.js';
import {
  bodyProblems,
  bodySchema,
  document,
  type Operation,
  operationOf,
  operations,
  type Parameter,
  resolved,
} from './described.js';
import { askDescribed, pathIn, seeded } from './seeded.js';

const described = operations.filter(({ path }) => !isCollecting(path));
const collecting = operations.filter(({ path }) => isCollecting(path));
const isOpen = ({ security }: Operation): boolean => security.length === 0;

/** A valid body for each route. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/session': { token: TOKEN },
  'PUT /v1/destinations/:name/paused': { paused: true },
  'PUT /v1/destinations/:name/enabled': { enabled: false },
  'POST /v1/destinations/:name/test': { endpoint: 'crm', message: { type: 'track', event: 'Bought', userId: 'u1' } },
  'POST /v1/deliveries/replay': {
    ...{ destination: 'crm', endpoint: 'crm', event: 'track', status: '404', user: 'u1', reason: 'permanent' },
    ...{ rate: 1_000, sendTo: 'crm', by: 'acceptance' },
    ...{ from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' },
  },
  'POST /v1/deliveries/discard': { destination: 'crm', id: 'm3' },
  'POST /v1/deletions': { userIds: ['u1'], sources: ['website'] },
  'PATCH /v1/audiences/:name': { join: ['u3'], leave: ['u1'] },
  'PATCH /v1/traits/:name': { set: [{ userId: 'u3', value: { tier: 'gold' } }], remove: ['u1'] },
};

const questions = described.filter(({ method }) => method === 'GET');
const changes = described.filter(({ method }) => method !== 'GET');
const withBody = described.filter((operation) => bodySchema(operation) !== undefined);
const keyOf = ({ method, path }: Operation): string => `${method} ${path}`;

describe('the document', () => {
  test('an independent validator finds the OpenAPI document valid', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect({ valid, errors }).toEqual({ valid: true });
  });

  test('the service serves the document to anyone, and it is the one that is made from the types', async () => {
    const { ask } = await serving(configOf());
    const { status, body } = await ask('/v1/openapi.json', { headers: { authorization: '' } });
    expect(status).toBe(200);
    expect(body).toEqual(document);
    expect(JSON.stringify(document), STALE).toBe(JSON.stringify(openApiDocument()));
  });

  test('the document contains exactly the routes of the service', () => {
    // The handlers are never called.
    const app = createApp({ api: { audiences: {} }, pageHandlers: {} } as AppOptions);
    const routed = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect(described.map(keyOf).sort(), STALE).toEqual([...new Set(routed)].sort());
    expect(routed.length).toBeGreaterThan(30);
  });

  test('every operation has a summary and its own id', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => (operation as { operationId?: string }).operationId),
    );
    expect(new Set(ids).size).toBe(operations.length);
    expect(operations.filter(({ summary }) => !summary.endsWith('.'))).toEqual([]);
  });
});

describe('the document describes the answers:', () => {
  test('the document describes every answer to a GET request of one service', async () => {
    const served = await seeded();
    expect(questions.length).toBeGreaterThan(15);
    for (const operation of questions) {
      const { status } = await askDescribed(served, operation, pathIn(operation, served));
      expect(status, keyOf(operation)).toBeLessThan(300);
    }
  });

  test.each(changes.map((operation) => [keyOf(operation), operation] as const))(
    'the document describes the answer to %s',
    async (key, operation) => {
      const served = await seeded();
      const body = bodySchema(operation);
      if (body !== undefined) expect(bodyProblems(body, BODIES[key])).toBe('');
      const list = key.includes('/traits/') ? served.values : served.list;
      const asking = body !== undefined ? { json: BODIES[key] } : key.startsWith('PUT') ? list : {};
      const { status } = await askDescribed(served, operation, pathIn(operation, served), asking);
      expect(status).toBeLessThan(300);
    },
  );

  test('the document describes a replay by id, and one that continues as a job', async () => {
    const served = await seeded();
    const replay = operationOf('POST', '/v1/deliveries/replay');
    const path = '/v1/deliveries/replay';
    expect(
      (await askDescribed(served, replay, path, { json: { destination: 'crm', id: 'm2' } })).body,
    ).not.toHaveProperty('id');
    expect((await askDescribed(served, replay, path, { json: { all: true, rate: 0.1 } })).status).toBe(202);
  });

  test.each(collecting.map((operation) => [keyOf(operation), operation] as const))(
    'the document describes the answer of the collector to %s',
    async (_, operation) => {
      const served = await seeded();
      const schema = bodySchema(operation) ?? {};
      const headers = { authorization: `Basic ${Buffer.from('dev:').toString('base64')}` };
      const message = { ...NEEDED, messageId: 'new' };
      const isSingle = operation.summary.startsWith('Takes one');
      const json = isSingle ? message : { batch: [{ type: 'track', ...message }] };
      expect(bodyProblems(schema, json)).toBe('');
      if (!isSingle) {
        const partly = { batch: [{ type: 'track' }, { type: 'track', ...message }] };
        const { body } = await askDescribed(served, operation, operation.path, { json: partly, headers });
        expect(body).toMatchObject({ success: true, rejected: [{ index: 0 }] });
      }
      expect((await askDescribed(served, operation, operation.path, { json, headers })).status).toBe(200);
      for (const [wrong, status] of [
        [{ json: { batch: [{ type: 'track' }], type: 'none' }, headers }, 400],
        [{ json, headers: { authorization: '' } }, 401],
        [{ body: '{', headers: { ...headers, 'content-encoding': 'zstd' } }, 415],
      ] as const) {
        expect((await askDescribed(served, operation, operation.path, wrong)).status).toBe(status);
      }
    },
  );
});

describe('the document describes the refusals:', () => {
  test('every route except the open ones refuses a request with neither token nor session', async () => {
    const served = await seeded();
    for (const operation of described) {
      const path = pathIn(operation, served);
      const { status } = await served.ask(path, { method: operation.method, headers: { authorization: '' } });
      if (isOpen(operation)) expect(status, keyOf(operation)).not.toBe(403);
      else {
        const answer = await askDescribed(served, operation, path, { headers: { authorization: '' } });
        expect(answer.status, keyOf(operation)).toBe(401);
      }
    }
  });

  test('an unknown name or id is refused as not found by every route with one in its path', async () => {
    const served = await seeded();
    const named = described.filter(({ path, method }) => path.includes(':') && method !== 'PUT');
    expect(named.length).toBeGreaterThan(15);
    for (const operation of named) {
      const path = operation.path.replace(/:\w+/g, 'nowhere');
      const json = BODIES[keyOf(operation)];
      const { status } = await askDescribed(served, operation, path, json && { json });
      expect(status, keyOf(operation)).toBe(404);
    }
  });

  test('a query accepts exactly the values of its schema', async () => {
    const served = await seeded();
    let checked = 0;
    for (const operation of described) {
      for (const parameter of operation.parameters?.filter((each) => each.in === 'query') ?? []) {
        const { taken, refused } = valuesOf(parameter);
        for (const [values, isTaken] of [
          [taken, true],
          [refused, false],
        ] as const) {
          for (const value of values) {
            const path = `${pathIn(operation, served)}?${parameter.name}=${encodeURIComponent(value)}`;
            const { status } = await askDescribed(served, operation, path);
            expect(status === 400, `${operation.method} ${path}`).toBe(!isTaken);
            checked++;
          }
        }
      }
    }
    expect(checked).toBeGreaterThan(40);
  });

  test('a parameter that is empty, repeated or unknown is refused by every route', async () => {
    const served = await seeded();
    let checked = 0;
    for (const operation of described.filter(({ path }) => path.startsWith('/v1/'))) {
      const path = pathIn(operation, served);
      const names = (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
      for (const query of ['no-such=1', ...names.flatMap((name) => [`${name}=`, `${name}=1&${name}=1`])]) {
        const { status, body } = await served.ask(`${path}?${query}`, { method: operation.method });
        const at = `${operation.method} ${path}?${query}`;
        expect({ at, status, code: body.code }).toEqual({ at, status: 400, code: 'invalid_query' });
        checked++;
      }
    }
    expect(checked).toBeGreaterThan(100);
  });

  test('a body of the wrong type, syntax or shape is refused by every route that takes a body', async () => {
    const served = await seeded();
    for (const operation of withBody) {
      const key = keyOf(operation);
      const path = pathIn(operation, served);
      const ask = async (asking: Asking) => (await askDescribed(served, operation, path, asking)).status;
      expect(await ask({ body: 'a=1', headers: { 'content-type': 'text/plain' } }), key).toBe(415);
      expect(await ask({ body: '{' }), key).toBe(400);
      const schema = resolved(bodySchema(operation) ?? {});
      const names = Object.keys((schema['properties'] ?? {}) as object);
      expect(names.length, key).toBeGreaterThan(0);
      for (const name of names) {
        const json = { ...BODIES[key], [name]: 7.5 };
        if (bodyProblems(schema, json) !== '') expect(await ask({ json }), `${key} ${name}`).toBe(422);
      }
      for (const name of (schema['required'] ?? []) as string[]) {
        const { [name]: _, ...json } = { ...BODIES[key] } as Record<string, unknown>;
        expect(await ask({ json }), `${key} ${name}`).toBe(422);
      }
    }
  });

  test('the document describes the refusals for a conflict, a body that is too large, and a store that fails', async () => {
    const served = await seeded();
    const audience = operationOf('PUT', '/v1/audiences/:name');
    expect((await askDescribed(served, audience, '/v1/audiences/buyers', served.list)).status).toBe(409);
    const line = { ...served.list, body: '"u1"\n7\n' };
    expect((await askDescribed(served, audience, '/v1/audiences/Buyers', line)).body).toHaveProperty('line', 2);
    const trait = operationOf('PUT', '/v1/traits/:name');
    expect((await askDescribed(served, trait, '/v1/traits/buyers', served.values)).status).toBe(409);
    const value = { ...served.values, body: '\n{"userId":"u1"}\n' };
    expect((await askDescribed(served, trait, '/v1/traits/Score', value)).body).toHaveProperty('line', 2);
    const enabled = operationOf('PUT', '/v1/destinations/:name/enabled');
    const long = { json: { enabled: true, more: 'x'.repeat(20_000) } };
    expect((await askDescribed(served, enabled, '/v1/destinations/crm/enabled', long)).status).toBe(413);
    served.storage.keyValues.get = () => Promise.reject(new Error('no space left on device'));
    const audiences = operationOf('GET', '/v1/audiences/:name');
    expect((await askDescribed(served, audiences, '/v1/audiences/Buyers')).status).toBe(503);
  });
});

/** Returns values at the limits of a schema and beyond them. */
function valuesOf({ schema }: Parameter): { taken: readonly string[]; refused: readonly string[] } {
  const { type, minimum, maximum, format } = schema;
  const names = resolved(schema)['enum'] as readonly string[] | undefined;
  if (names !== undefined) return { taken: names, refused: [`${names[0]}x`] };
  if (type === 'integer') {
    const [from, to] = [Number(minimum), Number(maximum)];
    return { taken: [`${from}`, `${to}`], refused: [`${from - 1}`, `${to + 1}`, '1.5', 'x'] };
  }
  if (format === 'date-time') return { taken: ['2026-11-20T12:00:00.000Z'], refused: ['yesterday'] };
  return { taken: [], refused: [] };
}
