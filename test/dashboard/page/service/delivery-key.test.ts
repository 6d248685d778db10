import { expect, test } from 'vitest';
import { keyOfDelivery, messageIdOf } from '../../../../src/dashboard/page/service/delivery-key.js';
import type { DeliveryReport } from '../../../../src/service/api/delivery-answers.js';

const delivery = (id: string, webhook: DeliveryReport['webhook']): DeliveryReport => ({
  ...{ id, destination: 'My CRM', webhook, type: 'track', source: null, acceptedAt: '', phase: 'delivered' },
  ...{ attempts: 1, lastAttemptAt: '', result: '200', durationMs: 1, nextAttemptAt: null },
});

test.each([
  ['m1', { url: 'https://a.example/hook' }, 'm1@My%20CRM@a.example%2Fhook'],
  ['m1', { id: 'eu', url: 'https://a.example/hook' }, 'm1@My%20CRM@eu'],
  ['a@b/ü', { id: 'eu', url: 'https://a.example/hook' }, 'a%40b%2F%C3%BC@My%20CRM@eu'],
])('the key of message %j at %j is %s, from which the message is read again', (id, webhook, key) => {
  expect(keyOfDelivery(delivery(id, webhook))).toBe(key);
  expect(messageIdOf(key)).toBe(id);
});
