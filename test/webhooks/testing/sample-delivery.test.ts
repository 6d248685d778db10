import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/protocol/field-table.js';
import { COMMON_HEADERS } from '../../../src/signature/delivery-headers.js';
import { SCHEME_LIST } from '../../../src/signature/schemes.js';
import { verify, verifyStandard } from '../../../src/webhooks/index.js';
import { sampleDeliveries, sampleDelivery, sampleEvents } from '../../../src/webhooks/testing/index.js';

test('a sample delivery is signed over its own bytes', () => {
  const { headers, body } = sampleDelivery('track', { secret: 'shhh' });
  expect(verify(body, headers['x-signature'], 'shhh')).toBe(true);
});

test('a sample delivery has the method, headers and bytes that the sender sends', () => {
  expect(sampleDelivery('delete', { secret: 'shhh' })).toEqual({
    method: 'POST',
    headers: {
      ...COMMON_HEADERS,
      'x-signature': '3eeb5aff83da0adab96fc8db32247f747749f726',
    },
    body: '{"type":"delete","userId":"user-1","timestamp":"2026-11-20T12:00:00.000Z"}',
  });
});

test('a sample delivery without a secret has no signature', () => {
  expect(sampleDelivery('track').headers).not.toHaveProperty('x-signature');
});

test('a sample delivery contains the given fields, and its signature covers them', () => {
  const { headers, body } = sampleDelivery('track', { secret: 'shhh', fields: { event: 'Signed Up', plan: 'pro' } });
  expect(JSON.parse(body)).toEqual({ ...sampleEvents.track, event: 'Signed Up', plan: 'pro' });
  expect(verify(body, headers['x-signature'], 'shhh')).toBe(true);
});

const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('a sample delivery has the headers of each scheme named in `sign`', () => {
  const options = {
    secret: key,
    sign: ['x-signature', 'standard'] as const,
    webhookId: 'evt-1',
    timestampSeconds: 1_800_000_000,
  };
  const { headers, body } = sampleDelivery('track', options);
  expect(headers).toMatchObject({ 'webhook-id': 'evt-1', 'x-signature': expect.any(String) });
  expect(verifyStandard({ headers, body, secrets: key, now: 1_800_000_000_000 })).toBe(true);
});

test.each<[object, string]>([
  [{ sign: 'standard' }, `Expected \`sign\` to be ${SCHEME_LIST.expected}, got string`],
  [{ secrets: 'shhh' }, 'Expected `secrets` to be a known option, got an unknown name. Did you mean `secret`?'],
  [{ secret: 5 }, 'Expected `secret` to be a string, got a number'],
  [{ timestampSeconds: 1.5 }, 'Expected `timestampSeconds` to be an integer from 0 up, got number 1.5'],
])('sampleDelivery refuses %j', (options, message) => {
  const error = expect.objectContaining({
    code: 'EVENTFERRY_WEBHOOKS_INVALID_OPTION',
    message: expect.stringContaining(message),
  });
  expect(() => sampleDelivery('track', options)).toThrow(error);
});

test('the webhook-timestamp of a sample delivery is the time of the call by default', () => {
  const { headers, body } = sampleDelivery('track', { secret: key, sign: ['standard'] });
  expect(verifyStandard({ headers, body, secrets: key, now: Date.now() })).toBe(true);
});

test('sampleDeliveries returns one delivery of each type of event', () => {
  const types = sampleDeliveries({ secret: 'shhh' }).map(({ body }) => JSON.parse(body).type);
  expect(types.sort()).toEqual([...EVENT_TYPES].sort());
});
