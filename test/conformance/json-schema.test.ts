import { expect, test } from 'vitest';
import { PlanError } from '../../src/plan/plan-errors.js';
import type { TrackingPlan } from '../../src/plan/tracking-plan.js';
import { foundIn, ofEvent } from '../plan/plans.js';
import { readData } from './data.js';

interface Group {
  readonly file: string;
  readonly group: string;
  readonly schema: unknown;
  readonly tests: readonly (readonly [description: string, data: unknown, isValid: boolean])[];
}

/** docs/tracking-plans.md names these keywords: ajv does not follow them through every keyword beside them. */
const DEVIATING = ['unevaluatedItems.json', 'unevaluatedProperties.json'];
const DEVIATIONS = 13;

/** A plan may refuse a schema that the specification allows, such as `uniqueItems` of objects without `maxItems`. */
function planOf(schema: unknown): TrackingPlan | undefined {
  try {
    return ofEvent({ type: 'object', properties: { v: schema }, required: ['v'] });
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}

test('a tracking plan judges as JSON Schema 2020-12 does, except for the keywords that the docs name', async () => {
  const { groups } = await readData<{ groups: readonly Group[] }>('json-schema-2020-12.json');
  let judged = 0;
  const wrong: string[] = [];
  for (const { file, group, schema, tests } of groups) {
    const plan = file.startsWith('optional/format') ? undefined : planOf(schema);
    if (plan === undefined) continue;
    for (const [description, data, isValid] of tests) {
      judged++;
      const found = foundIn(plan, { type: 'track', event: 'E', properties: { v: data } });
      if ((found === undefined) !== isValid) wrong.push(`${file}: ${group}: ${description}`);
    }
  }
  expect(judged).toBeGreaterThan(900);
  expect(wrong.filter((name) => !DEVIATING.some((file) => name.startsWith(file)))).toEqual([]);
  expect(wrong).toHaveLength(DEVIATIONS);
});
