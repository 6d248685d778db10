import { expect, test } from 'vitest';
import { OptionError } from '../../../src/base/errors/errors.js';
import { CliError, EXIT } from '../../../src/cli/cli-error.js';
import { CliCommand, CommandError } from '../../../src/cli/command.js';
import { complaintOf } from '../../../src/cli/terminal/complaint.js';
import { PlanError } from '../../../src/plan/plan-errors.js';

const nothing = { write: () => {} };
const program = new CliCommand({ out: nothing, err: nothing, exit: () => {} }, 'eventferry');
const inner = program.command('deliveries').command('replay').option('--webhook <url>').option('--send-to <id>');
const complaint = (cause: unknown, command = inner) => complaintOf(new CommandError(command, cause));

test.each([
  [
    new OptionError('client', 'webhooks[0].url', 'a URL', 'x'),
    'Expected --webhook to be a URL, got x (EVENTFERRY_INVALID_OPTION)',
  ],
  [
    new OptionError('client', 'sendTo', 'an id', 'x'),
    'Expected --send-to to be an id, got x (EVENTFERRY_INVALID_OPTION)',
  ],
  [new OptionError('client', 'flushAt', '1', 'x'), 'Expected `flushAt` to be 1, got x (EVENTFERRY_INVALID_OPTION)'],
  [new Error('one\nline\u001b[31m'), 'one line\\u{1b}[31m (EVENTFERRY_CLI_FAILED)'],
  [Object.assign(new Error('EBUSY: busy'), { code: 'EBUSY' }), 'EBUSY: busy'],
])('the complaint about %s names the flag, in one printable line', (error, line) => {
  expect(complaint(error).text).toBe(`deliveries: ${line}`);
});

test('a complaint about the program itself begins with its name', () => {
  expect(complaint(new CliError('no'), program).text).toBe('eventferry: no (EVENTFERRY_CLI_USAGE)');
});

test('a complaint lists the mistakes of a file above its line, and in its JSON', () => {
  const problems = [{ pointer: '/events', expected: 'an object', received: 'number 3' }];
  expect(complaint(new PlanError('plan.json', problems))).toEqual({
    text: '/events: expected an object, got number 3\ndeliveries: 1 mistake in plan.json (EVENTFERRY_PLAN_INVALID)',
    record: {
      error: {
        command: 'deliveries',
        code: 'EVENTFERRY_PLAN_INVALID',
        message: '1 mistake in plan.json',
        file: 'plan.json',
        problems,
      },
    },
    exitCode: EXIT.unusable,
  });
});
