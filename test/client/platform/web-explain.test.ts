import { expect, test } from 'vitest';
import { ConnectionError } from '../../../src/base/errors/errors.js';
import { adviceOn, explainConnection, explainFirst } from '../../../src/client/platform/web-explain.js';

test('on the web a timeout is explained as a timeout, and any other failure by causes that `fetch` hides', () => {
  expect(explainConnection(new ConnectionError('late', { causeCode: 'REQUEST_TIMEOUT' })).what).toContain(
    'requestTimeout',
  );
  expect(explainConnection(new ConnectionError('fetch failed')).advice).toContain('CORS');
});

test('on the web the first failure is explained with the host, the error, and how long messages wait', () => {
  const options = { url: 'https://events.example/v1/batch', retryFor: 60_000, maxRetries: Number.POSITIVE_INFINITY };
  expect(explainFirst(new ConnectionError('fetch failed'), options)).toBe(
    'no answer from the collector at events.example: the request failed (fetch failed). Check `endpoint`, whether the collector runs, and whether it allows this page (CORS). Messages wait and are sent again for 1 min (`retryFor`)',
  );
});

test('on the web a refusal gets the same advice as in Node', () => {
  expect(adviceOn({ status: 404, answer: '' })).toContain('check `endpoint`');
});
