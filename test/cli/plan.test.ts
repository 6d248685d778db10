import { expect, test } from 'vitest';
import { planIn } from '../../src/cli/plan.js';
import { newFile } from './files.js';
import { readableTerminal } from './terminal.js';

test('a plan without mistakes is given', async () => {
  const { printed, terminal } = readableTerminal();
  expect((await planIn(await newFile('plan.json', '{"events":{}}'), 'check', terminal))?.events).toBe(0);
  expect(printed).toEqual({ out: '', err: '' });
});

test('the mistakes of a plan are one object with --json', async () => {
  const { printed, terminal } = readableTerminal({ isJson: true });
  const file = await newFile('plan.json', '{"events":3}');
  expect(await planIn(file, 'check', terminal)).toBeUndefined();
  expect(JSON.parse(printed.out)).toEqual({
    file,
    valid: false,
    problems: [{ pointer: '/events', expected: 'an object of schemas by name', received: 'number 3' }],
  });
});
