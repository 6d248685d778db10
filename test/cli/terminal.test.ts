import { expect, test } from 'vitest';
import { readableTerminal } from './terminal.js';

test('terminal colours text on a terminal only', () => {
  expect(readableTerminal({ isTTY: true }).terminal.style('red', 'no')).toBe('\u001b[31mno\u001b[39m');
  expect(readableTerminal().terminal.style('red', 'no')).toBe('no');
});
