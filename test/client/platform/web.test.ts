import { gunzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { AnswerError } from '../../../src/base/errors/errors.js';
import * as node from '../../../src/client/platform/node.js';
import * as web from '../../../src/client/platform/web.js';
import { Acceptance } from '../../../src/client/queue/acceptance.js';
import type { PartSteps } from '../../../src/client/queue/batch-parts.js';
import { batchOf } from '../queue/collector.js';

test('both platforms export the same names', () => {
  expect(Object.keys(web).sort()).toEqual(Object.keys(node).sort());
});

describe.each([
  ['node', node],
  ['web', web],
] as const)('the platform %s', (_, platform) => {
  test('the platform compresses bytes with gzip', async () => {
    const body = new TextEncoder().encode('{"batch":[]}'.repeat(100));
    const smaller = await platform.compress(body);
    expect(smaller.length).toBeLessThan(body.length);
    expect(new Uint8Array(gunzipSync(smaller))).toEqual(body);
  });
});

test('without a page, a batch may be as large as in Node', () => {
  expect(web.DEFAULT_BATCH_BYTES).toBe(node.DEFAULT_BATCH_BYTES);
});

test('on the web a refused batch waits if the code that splits it cannot be loaded, and is split when it can', async () => {
  const takeApart = () => web.takeApart(batchOf(4), new Acceptance(), {} as PartSteps);
  vi.doMock('../../../src/client/queue/batch-parts.js', () => {
    throw new Error('offline');
  });
  await expect(takeApart()).rejects.toMatchObject({
    code: 'EVENTFERRY_CONNECTION',
    causeCode: 'LOAD_FAILED',
  });
  vi.doUnmock('../../../src/client/queue/batch-parts.js');
  expect(await takeApart()).toBeInstanceOf((await import('../../../src/client/queue/batch-parts.js')).BatchParts);
});

test('on the web the first failure is reported briefly if the code that explains it cannot be loaded', async () => {
  const failure = new AnswerError(503, 'busy', undefined);
  const options = { url: 'https://events.example/v1/batch', retryFor: 60_000, maxRetries: 3 };
  const told: string[] = [];
  vi.doMock('../../../src/client/platform/web-explain.js', () => {
    throw new Error('offline');
  });
  await web.explainFirst(failure, options, (text) => told.push(text));
  expect(await web.adviceOn({ status: 401, answer: '' })).toBeUndefined();
  vi.doUnmock('../../../src/client/platform/web-explain.js');
  await web.explainFirst(failure, options, (text) => told.push(text));
  expect(told).toEqual([
    'The collector answered 503: busy. Check `endpoint`',
    'The collector answered 503: busy (at events.example). Check `endpoint` and the collector. Messages wait and are sent again for 1 min (`retryFor`), at most 3 times (`maxRetries`)',
  ]);
  expect(await web.adviceOn({ status: 401, answer: '' })).toContain('check `writeKey`');
});
