import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { planJsonSchema } from '../../src/plan/plan-json-schema.js';
import { mistakesIn, SHOP } from './plans.js';

const isValid = new Ajv({ allErrors: true }).compile(planJsonSchema());

const read = (file: string): unknown => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));

test.each<[string, unknown]>([
  ['of the tests', SHOP],
  ['of the examples', read('examples/plan.json')],
  ['without events', { events: {} }],
  ['with annotations', { events: { A: { 'x-owner': 'me', deprecated: true } } }],
])('both the JSON Schema of plans and inspectPlan accept the plan %s', (_, plan) => {
  expect(isValid(plan)).toBe(true);
  expect(mistakesIn(plan)).toEqual([]);
});

test.each([
  {},
  { events: {}, event: {} },
  { events: { A: { requird: [] } } },
  { events: { A: { type: 'strng' } } },
  { events: { A: { properties: { a: { format: 'dat' } } } } },
  { events: { A: { items: [{}] } } },
  { events: { A: { $ref: 'https://example.com/' } } },
])('both the JSON Schema of plans and inspectPlan reject %j', (plan) => {
  expect(isValid(plan)).toBe(false);
  expect(mistakesIn(plan).length).toBeGreaterThan(0);
});

test('the JSON Schema of plans in the package is up to date', () => {
  expect(read('dist/plan.schema.json')).toEqual(planJsonSchema());
});
