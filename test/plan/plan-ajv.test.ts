import { expect, test } from 'vitest';
import { placeOf, planAjv } from '../../src/plan/plan-ajv.js';
import { foundIn, ofEvent } from './plans.js';

test("ajv finds the schemas of a plan at their places, in the plan's order", () => {
  const ajv = planAjv({ events: { A: false, B: true } });
  expect(ajv.getSchema(placeOf(0))?.({})).toBe(false);
  expect(ajv.getSchema(placeOf(1))?.({})).toBe(true);
});

test('a plan may use unevaluatedProperties', () => {
  const plan = ofEvent({ allOf: [{ properties: { a: true } }], unevaluatedProperties: false });
  const found = (properties: object) => foundIn(plan, { type: 'track', event: 'E', properties });
  expect(found({ a: 1 })).toBeUndefined();
  expect(found({ b: 1 })).toMatch(/^properties\.b \(unevaluatedProperties\)/);
});

test.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty'])(
  'a property named %s exists only if the message has it',
  (name) => {
    const object = (value: unknown): object => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    const found = (schema: object, properties: object) =>
      foundIn(ofEvent(schema), { type: 'track', event: 'E', properties });
    const described = { properties: object({ type: 'number' }), additionalProperties: false };
    expect(found(described, {})).toBeUndefined();
    expect(found(described, object(1))).toBeUndefined();
    expect(found(described, object('text'))).toMatch(/\(type\): expected a number/);
    expect(found({ required: [name] }, {})).toMatch(/\(required\)/);
    expect(found({ required: [name] }, object(1))).toBeUndefined();
    expect(found({ dependentRequired: object(['other']) }, {})).toBeUndefined();
  },
);
