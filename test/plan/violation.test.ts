import { expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/compile.js';
import { groupPath } from '../../src/plan/violation.js';
import { foundIn, ofEvent } from './plans.js';

test.each([
  ['properties.items[3].price', 'properties.items[].price'],
  ['properties.grid[0][12]', 'properties.grid[][]'],
  ['properties.total', 'properties.total'],
])('the path %s of a violation counts as %s', (path, group) => {
  expect(groupPath(path)).toBe(group);
});

test('the path of a violation distinguishes a list from an object with digits as keys', () => {
  const text = { additionalProperties: { type: 'string' }, items: { type: 'string' } };
  const plan = ofEvent({ properties: { list: text, object: text } });
  const found = (properties: object) => foundIn(plan, { type: 'track', event: 'E', properties });
  expect(found({ list: [1] })).toMatch(/^properties\.list\[0\] /);
  expect(found({ object: { 0: 1 } })).toMatch(/^properties\.object\["0"\] /);
});

test.each(['writeKey', 'write_key', 'apiKey', 'password', 'Authorization', 'accessToken'])(
  'a violation does not show the value of a property called %s',
  (name) => {
    const plan = ofEvent({ additionalProperties: { type: 'number' } });
    const found = foundIn(plan, { type: 'track', event: 'E', properties: { [name]: 'hunter2' } });
    expect(found).toMatch(/ got a string of 7 characters$/);
  },
);

test('the violation of a condition is the error in the branch that applies', () => {
  const order = { required: ['total'], properties: { before: { $ref: '#/$defs/order' } } };
  const event = { if: { required: ['isFree'] }, else: { $ref: '#/$defs/order' } };
  const plan = compilePlan({ events: { E: event }, $defs: { order } }, 'plan.json');
  const found = foundIn(plan, { type: 'track', event: 'E', properties: { coupon: 'X' } });
  expect(found).toMatch(/^properties\.total .*got nothing$/);
});
