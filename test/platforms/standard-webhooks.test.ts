import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { standardHeaders, verifyStandard } from '../../src/webhooks/index.js';

const KEY = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"type":"track","event":"Größe gewählt 🚢"}';

const nowSeconds = Math.floor(Date.now() / 1_000);

test.each([KEY, `whsec_${KEY}`])('the reference library verifies our signatures, with the key as %s', (secret) => {
  const headers = standardHeaders({ id: 'm1', timestampSeconds: nowSeconds, body: BODY, secret: `whsec_${KEY}` });
  expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow('No matching signature');
});

test.each([KEY, `whsec_${KEY}`])('we verify the signatures of the reference library, with the key as %s', (secrets) => {
  const signature = new Webhook(secrets).sign('m1', new Date(nowSeconds * 1_000), BODY);
  const headers = { 'Webhook-Id': 'm1', 'Webhook-Timestamp': String(nowSeconds), 'Webhook-Signature': signature };
  const now = nowSeconds * 1_000;
  expect(verifyStandard({ headers, body: BODY, secrets, now })).toBe(true);
  expect(verifyStandard({ headers, body: `${BODY} `, secrets, now })).toBe(false);
  expect(verifyStandard({ headers: { ...headers, 'Webhook-Id': 'm2' }, body: BODY, secrets, now })).toBe(false);
});
