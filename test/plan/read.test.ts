import { expect, test } from 'vitest';
import { PlanError, PlanFileError } from '../../src/plan/plan-errors.js';
import { readPlan } from '../../src/plan/read.js';
import { newFile, newFolder } from '../cli/files.js';
import { SHOP } from './plans.js';

test('a plan is read from a JSON file, with or without a byte order mark', async () => {
  expect((await readPlan(await newFile('plan.json', JSON.stringify(SHOP)))).plan).toEqual(SHOP);
  expect((await readPlan(await newFile('plan.json', `\ufeff${JSON.stringify(SHOP)}`))).events).toBe(3);
});

test.each([
  ['{', /^not JSON \(.+\): .*plan\.json$/],
  [Buffer.from([0xff]), /^not UTF-8 text: .*plan\.json$/],
])('a file with %j is not a plan', async (content, message) => {
  const reading = readPlan(await newFile('plan.json', content));
  await expect(reading).rejects.toThrow(PlanFileError);
  await expect(reading).rejects.toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_PLAN_UNREADABLE', message: expect.stringMatching(message) }),
  );
});

test('a missing plan file and a folder in its place cause different errors', async () => {
  await expect(readPlan('/nowhere/plan.json')).rejects.toThrow('there is no file: /nowhere/plan.json');
  const folder = await newFolder();
  await expect(readPlan(folder)).rejects.toThrow(`a folder, not a file: ${folder}`);
});

test('the error of a wrong plan names its file', async () => {
  const file = await newFile('plan.json', '{"events":{"A":3}}');
  const error = await readPlan(file).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PlanError);
  expect(error).toMatchObject({ file, problems: [{ pointer: '/events/A' }] });
});
