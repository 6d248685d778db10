import { expect, test } from 'vitest';
import {
  nameIn,
  namePrefix,
  RANGES,
  stepIn,
  stepOf,
  stepPrefix,
  stepsPrefix,
} from '../../../src/ledger/counts/steps.js';

test.each(['crm', 'web site/a', 'ä%'])('the name %j and the step can be read back from a key', (name) => {
  const steps = RANGES['1h'];
  const step = stepOf(steps, Date.parse('2026-11-20T12:00:59.999Z'));
  const key = `${namePrefix('source', steps, step, name)}process`;
  expect(nameIn(key, stepPrefix('source', steps, step))).toBe(name);
  expect(stepIn(key, stepsPrefix('source', steps))).toBe(step);
});
