import { expect, test } from 'vitest';
import { PlanError } from '../../src/plan/plan-errors.js';
import { compiled, foundIn, mistakesIn, SHOP } from './plans.js';

const ofEvent = (schema: unknown) => ({ events: { E: schema } });

test.each<[unknown, string]>([
  [
    { type: 'strng' },
    '/type: expected string, number, integer, boolean, object, array or null, or a list of these, got string "strng"',
  ],
  [{ properties: { a: { minLength: -1 } } }, '/properties/a/minLength: expected a number of at least 0, got number -1'],
  [{ required: 'a' }, '/required: expected an array, got string "a"'],
  [{ enum: [] }, ': expected a schema that compiles, got enum must have non-empty array'],
])('a wrong value of a keyword in the schema %j is reported with its place', (schema, mistake) => {
  expect(mistakesIn(ofEvent(schema))).toEqual([`/events/E${mistake}`]);
});

test('a schema that others only refer to is also checked', () => {
  expect(mistakesIn({ events: {}, $defs: { a: { type: 3 } } })).toHaveLength(1);
});

test('a plan with mistakes throws an error that lists them, with a code', () => {
  const compile = () => compiled({ events: { A: { typ: 1 } } });
  expect(compile).toThrow(PlanError);
  expect(compile).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_PLAN_INVALID',
      file: 'plan.json',
      message: expect.stringMatching(/^1 mistake in plan\.json\n {2}\/events\/A\/typ: expected /),
    }),
  );
});

test.each(['a/b', '~1', '100%', 'a%41', 'x#y', '"q"', 'ü 🎉', '$id', '$ref', '__proto__', 'properties', 'enum', ' '])(
  'an event may have the name %j',
  (name) => {
    const plan = compiled(JSON.parse(`{"events":{${JSON.stringify(name)}:{"required":["a"]}}}`));
    const track = { type: 'track', event: name };
    expect(foundIn(plan, track)).toBe('properties.a (required): expected a value, got nothing');
    expect(foundIn(plan, { ...track, properties: { a: 1 } })).toBeUndefined();
  },
);

test('a compiled plan counts its events', () => {
  expect(compiled(SHOP).events).toBe(3);
});
