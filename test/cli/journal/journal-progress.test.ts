import { expect, test, vi } from 'vitest';
import { showProgress } from '../../../src/cli/journal/journal-progress.js';
import { readableTerminal } from '../terminal.js';

test('the progress of a replay is a bar on a terminal', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true });
  showProgress(terminal, () => ({ delivered: 1_200, failed: 3, of: 2_000 }))();
  expect(printed.err).toContain('━');
  expect(printed.err).toContain('1,200 of 2,000 delivered, 3 failed');
});

test('the progress of a replay is a line every three seconds on a terminal without colours', () => {
  vi.useFakeTimers();
  const { printed, terminal } = readableTerminal({ isTTY: true, hasColors: false });
  const end = showProgress(terminal, () => ({ delivered: 1_200, failed: 0, of: 2_000 }));
  // It prints no further line while nothing changes.
  vi.advanceTimersByTime(9_000);
  end();
  vi.useRealTimers();
  expect(printed.err).toBe('1,200 of 2,000 delivered\n');
});
