import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { planIn } from '../../src/cli/plan.js';
import { PlanError } from '../../src/plan/plan-errors.js';
import { newFile } from './files.js';
import { withStdin } from './stdin.js';

test('a plan without mistakes is accepted', async () => {
  expect((await planIn(await newFile('plan.json', '{"events":{}}'))).events).toBe(0);
});

test('a plan with mistakes is refused with all of them', async () => {
  const file = await newFile('plan.json', '{"events":3}');
  const problems = [{ pointer: '/events', expected: 'an object of schemas by name', received: 'number 3' }];
  await expect(planIn(file)).rejects.toThrow(new PlanError(file, problems));
});

test('a plan can be read from standard input, which its errors name', async () => {
  const planOf = (text: string) => withStdin(Readable.from([Buffer.from(text)]), () => planIn('-'));
  expect((await planOf('{"events":{}}')).events).toBe(0);
  await expect(planOf('{')).rejects.toThrow('standard input');
});
