import { Option } from 'commander';
import { expect, test } from 'vitest';
import { CliCommand, isHelp } from '../../src/cli/command.js';
import type { Terminal } from '../../src/cli/terminal/terminal.js';

function newProgram() {
  const printed = { out: '', err: '' };
  const codes: number[] = [];
  const stream = (name: 'out' | 'err') => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  const program = new CliCommand(
    { out: stream('out'), err: stream('err'), exit: (code) => codes.push(code) },
    'eventferry',
  );
  program.exitOverride().configureOutput({ writeOut: stream('out').write, writeErr: stream('err').write });
  return { program, printed, codes };
}

test('a command gets its options and arguments, and the process exits with the code it resolves to', async () => {
  const { program, printed, codes } = newProgram();
  program
    .command('copy <from>')
    .addOption(new Option('--times <n>').argParser(Number))
    .runs(async () => async (from: string, { times }: { times: number }, terminal: Terminal) => {
      terminal.print(`${from} ${times}`, { from, times });
      return 3;
    });
  await program.parseAsync(['copy', 'a', '--times', '2', '--json'], { from: 'user' });
  expect({ codes, out: printed.out }).toEqual({ codes: [3], out: '{"from":"a","times":2}\n' });
});

test('a command that resolves to no code ends the process with 0', async () => {
  const { program, codes } = newProgram();
  program.command('copy').runs(async () => async () => {});
  await program.parseAsync(['copy'], { from: 'user' });
  expect(codes).toEqual([0]);
});

test('an error without a suggested correction names the help to read', async () => {
  const { program, printed } = newProgram();
  program
    .command('outer')
    .command('inner')
    .runs(async () => async () => 0);
  const failed = await program
    .parseAsync(['outer', 'inner', '--nothing'], { from: 'user' })
    .catch((error: unknown) => error);
  expect(String(failed)).toContain('; see eventferry outer inner --help');
  expect(isHelp(failed)).toBe(false);
  expect(printed).toEqual({ out: '', err: '' });
});

test('an error that suggests a correction does not name the help', async () => {
  const { program } = newProgram();
  program.command('send').runs(async () => async () => 0);
  const failed = await program.parseAsync(['sned'], { from: 'user' }).catch((error: unknown) => error);
  expect(String(failed)).toContain('Did you mean send?');
  expect(String(failed)).not.toContain('--help');
});

test('the examples of a command follow its help, and help exits with 0', async () => {
  const { program, printed } = newProgram();
  program.examples('send track', 'dev');
  const ended = await program.parseAsync(['--help'], { from: 'user' }).catch((error: unknown) => error);
  expect(printed.out).toMatch(/Examples:\n {2}\$ eventferry send track\n {2}\$ eventferry dev\n$/);
  expect(isHelp(ended)).toBe(true);
});

test.each([
  { given: ['--user', 'u1', '--user', 'u2'], error: '--user is given twice; it takes one value' },
  { given: ['--user', 'u1', '--user', 'u1'], error: '--user is given twice; it takes one value' },
  { given: ['--user', '--yes'], error: '--user: expected a value, got the option --yes' },
])('a command refuses $given', async ({ given, error }) => {
  const { program } = newProgram();
  program
    .command('drop')
    .option('--user <id>')
    .option('--yes')
    .runs(async () => async () => 0);
  await expect(program.parseAsync(['drop', ...given], { from: 'user' })).rejects.toThrow(error);
});

test('an option that collects its values may be given several times', async () => {
  const { program, printed } = newProgram();
  const add = (value: string, before: string[] = []): string[] => [...before, value];
  program
    .command('copy')
    .addOption(new Option('--to <name>').argParser(add))
    .runs(async () => async ({ to }: { to: string[] }, terminal: Terminal) => {
      terminal.print(to.join(), { to });
      return 0;
    });
  await program.parseAsync(['copy', '--to', 'a', '--to', 'b'], { from: 'user' });
  expect(printed.out).toBe('a,b\n');
});
