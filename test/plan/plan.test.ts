import { expect, test } from 'vitest';
import { describedField } from '../../src/plan/plan.js';

test.each([
  ['track', 'properties'],
  ['page', 'properties'],
  ['screen', 'properties'],
  ['identify', 'traits'],
  ['group', 'traits'],
] as const)('for the type %s, a plan describes the %s', (type, field) => {
  expect(describedField(type)).toBe(field);
});
