import { expect, test } from 'vitest';
import { PlanError } from '../../src/plan/plan-errors.js';

test('the error of a plan has a line for each mistake', () => {
  const problem = { expected: 'an object', received: 'null' };
  const error = new PlanError('plan.json', [
    { pointer: '', ...problem },
    { pointer: '/events/A', ...problem },
  ]);
  expect(error.message).toBe(
    '2 mistakes in plan.json\n  the plan: expected an object, got null\n  /events/A: expected an object, got null',
  );
});
