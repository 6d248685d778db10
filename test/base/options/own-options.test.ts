import { expect, test } from 'vitest';
import { resolveOptions as adminOptions } from '../../../src/admin/admin-options.js';
import { resolveOptions as clientOptions } from '../../../src/client/analytics-options.js';
import { resolveOptions as collectorOptions } from '../../../src/collector/collector-options.js';
import { resolveOptions as destinationOptions } from '../../../src/destination/settings/destination-options.js';
import { checkRequestOptions } from '../../../src/middleware/request-options.js';
import { standardHeaders, verifyStandard } from '../../../src/signature/standard.js';
import { resolveCapture } from '../../../src/testing/capture-options.js';
import { resolveOptions as receiverOptions } from '../../../src/webhooks/receiver-options.js';

const KEY = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const onEvent = (): void => {};
const onMessages = async (): Promise<void> => {};
const signed = { id: 'm1', timestampSeconds: 1, body: '{}', secret: KEY };
const headers = standardHeaders(signed);
const received = { headers, body: '{}', secrets: KEY };
const webhooks = [{ url: 'https://example.com/hook' }];
const endpoint = 'http://127.0.0.1:4100';

/** What a function returns or throws, without what is new at each call. */
function endOf(act: () => unknown): unknown {
  try {
    const value = act();
    return typeof value === 'object' && value !== null
      ? Object.entries(value).filter(([, field]) => typeof field !== 'function')
      : value;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each<[string, object, () => unknown]>([
  ['a receiver', { unsigned: true }, () => receiverOptions({ onEvent })],
  ['a receiver with a secret', { unsigned: true }, () => receiverOptions({ secrets: KEY, onEvent })],
  [
    'a receiver of Standard Webhooks',
    { tolerance: Number.POSITIVE_INFINITY, maxBytes: 1, onRefused: 'x' },
    () => receiverOptions({ secrets: KEY, accept: ['standard'], onEvent }),
  ],
  ['verifyStandard', { tolerance: Number.POSITIVE_INFINITY }, () => verifyStandard({ ...received, now: 9_000_000 })],
  ['standardHeaders', { secret: KEY }, () => standardHeaders({ ...signed, secret: undefined as never })],
  [
    'a client',
    { proxy: 'http://127.0.0.1:9', tls: {}, headers: { a: 'b' }, enabled: false, flushAt: 1, size: 1, endpoint: 'x' },
    () => clientOptions({ writeKey: 'k', endpoint }),
  ],
  ['a client without a write key', { writeKey: 'k' }, () => clientOptions({ endpoint } as never)],
  ['a captured client', { writeKey: 'other', now: 0, journal: 'x' }, () => resolveCapture({}).options],
  [
    'a collector',
    { sources: () => undefined, maxBodyBytes: 1 },
    () => collectorOptions({ writeKeys: ['k'], onMessages }),
  ],
  ['an admin client', { token: 'other' }, () => adminOptions({ url: endpoint } as never)],
  [
    'a destination',
    { sharedSecret: 'shhh', secret: 'shhh', allowLoopback: true, sign: ['standard'], headers: { a: 'b' }, name: 'x' },
    () => destinationOptions({ webhooks, maxDeadLetters: { events: 1 } }),
  ],
  [
    'the bounds of a destination',
    { age: 1, bytes: 1 },
    () => destinationOptions({ webhooks, maxBacklog: { events: 1 } }).backlogLimit,
  ],
  ['a middleware', { trustedProxies: 9, userId: () => 'x' }, () => Object.keys(checkRequestOptions({ ip: true }))],
])('%s has only the options that its own object has', (_, inherited, resolve) => {
  const before = endOf(resolve);
  let polluted: unknown;
  for (const [name, value] of Object.entries(inherited))
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  try {
    polluted = endOf(resolve);
  } finally {
    for (const name of Object.keys(inherited)) Reflect.deleteProperty(Object.prototype, name);
  }
  expect(polluted).toEqual(before);
});
