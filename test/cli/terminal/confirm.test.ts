import { PassThrough, type Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { confirm } from '../../../src/cli/terminal/confirm.js';
import { withStdin } from '../stdin.js';
import { readableTerminal } from '../terminal.js';

const typed = (text: string) => Object.assign(new PassThrough(), { isTTY: true }).end(text);
const ask = async (stdin: Readable, kind: Parameters<typeof readableTerminal>[0] = {}) => {
  const { printed, terminal } = readableTerminal({ isTTY: true, ...kind });
  const answer = await withStdin(stdin, () => confirm('Drop 3?', terminal)).then(
    () => 'yes',
    ({ message, exitCode }) => ({ message, exitCode }),
  );
  return { answer, err: printed.err };
};

test.each(['y\n', 'yes\n', 'Y\r\n'])('the answer %j confirms a removal', async (text) => {
  expect(await ask(typed(text))).toEqual({ answer: 'yes', err: 'Drop 3? [y/N] ' });
});

test.each(['n\n', '\n', '', 'yikes\n'])('the answer %j removes nothing', async (text) => {
  expect((await ask(typed(text))).answer).toEqual({ message: 'nothing was removed', exitCode: 1 });
});

test.each([
  ['input of a pipe', new PassThrough().end('y\n'), {}],
  ['standard error in a file', typed('y\n'), { isTTY: false }],
  ['--json', typed('y\n'), { isJson: true }],
])('with %s there is no terminal to ask on, and --yes is required', async (_, stdin, kind) => {
  expect(await ask(stdin, kind)).toEqual({
    answer: {
      message: '--all removes for good; give --yes to go on, or --dry-run to see what would go',
      exitCode: 2,
    },
    err: '',
  });
});
