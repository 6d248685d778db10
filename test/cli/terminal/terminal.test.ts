import { expect, onTestFinished, test, vi } from 'vitest';
import { Terminal } from '../../../src/cli/terminal/terminal.js';
import { readableTerminal } from '../terminal.js';

test('text is coloured only on a terminal', () => {
  expect(readableTerminal({ isTTY: true }).terminal.style('red', 'no')).toBe('\u001b[31mno\u001b[39m');
  expect(readableTerminal().terminal.style('red', 'no')).toBe('no');
});

test.each([
  ['', true],
  ['1', false],
])('whether a terminal has colours with NO_COLOR=%j: %s', (value, isColoured) => {
  vi.stubEnv('NO_COLOR', value);
  onTestFinished(() => void vi.unstubAllEnvs());
  // Like Node's own method, this treats an empty value as set.
  const out = { isTTY: true, write: () => true, hasColors: (env = process.env) => env['NO_COLOR'] === undefined };
  expect(new Terminal({ out, err: out }).style('red', 'no') !== 'no').toBe(isColoured);
  expect(new Terminal({ out, err: out }).canRedraw).toBe(isColoured);
});

test('a note replaces a progress bar on its line', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true });
  terminal.err.write('━━━ 0 of 2 delivered');
  terminal.note('no answer', {});
  expect(printed.err).toBe('━━━ 0 of 2 delivered\r\u001b[Kno answer\n');
});
