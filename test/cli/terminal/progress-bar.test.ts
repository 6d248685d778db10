import { expect, test, vi } from 'vitest';
import { showProgress } from '../../../src/cli/terminal/progress-bar.js';
import { readableTerminal } from '../terminal.js';

const measure = () => ({ done: 1, total: 2, text: '1 of 2', record: { done: 1 } });

test.each([
  ['a terminal without colours', { isTTY: true, hasColors: false }, '1 of 2\n'],
  ['a pipe', {}, '1 of 2\n'],
  ['--json', { isTTY: true, isJson: true }, '{"progress":{"done":1}}\n'],
])('with %s the progress is a line every three seconds if it has changed', (_, kind, line) => {
  vi.useFakeTimers();
  const { printed, terminal } = readableTerminal(kind);
  let done = 1;
  const end = showProgress(terminal, () => ({ ...measure(), text: `${done} of 2`, record: { done } }));
  vi.advanceTimersByTime(6_000);
  done = 2;
  vi.advanceTimersByTime(3_000);
  end();
  vi.useRealTimers();
  expect(printed).toEqual({ out: '', err: line + line.replace('1', '2') });
});

test('on a terminal the progress is a bar', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true });
  showProgress(terminal, measure)();
  expect(printed.err).toMatch(/━{12}─{12} 50% {2}1 of 2/);
});

test('a narrow terminal shows only the text of the progress, which a bar would push out of sight', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true, columns: 40 });
  showProgress(terminal, measure)();
  expect(printed.err).toContain('1 of 2');
  expect(printed.err).not.toMatch(/[━─%]/);
});

test('on a terminal the progress of work of unknown size is its text without a bar', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true });
  showProgress(terminal, () => ({ ...measure(), total: undefined }))();
  expect(printed.err).toContain('1 of 2');
  expect(printed.err).not.toMatch(/[━─%]/);
});
