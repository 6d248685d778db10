import { expect, test } from 'vitest';
import { showProgress } from '../../../src/cli/deliveries/progress.js';
import { Terminal } from '../../../src/cli/terminal.js';

function printed({ isTTY = false, isJson = false, hasColors = isTTY }: Partial<Record<string, boolean>> = {}) {
  const texts: string[] = [];
  const err = { write: (text: string) => texts.push(text), isTTY, hasColors: () => hasColors };
  const time = { now: 0 };
  const terminal = new Terminal({ out: err, err, isJson });
  return { texts, time, ...showProgress(terminal, { before: 1_000, destination: 'crm' }, () => time.now) };
}

const step = { deliveries: 2_000, events: 2_100, cursor: 'MTIz' };

test('the progress of deliveries is a line every three seconds, with the cursor to continue at', () => {
  const { texts, time, onProgress, end } = printed();
  for (time.now = 500; time.now <= 4_000; time.now += 500) onProgress(step);
  end();
  expect(texts).toEqual(['3,000 deliveries  667 per second  --after MTIz\n']);
});

test('the progress of deliveries is redrawn in one line on a terminal', () => {
  const { texts, time, onProgress, end } = printed({ isTTY: true });
  for (time.now = 100; time.now <= 200; time.now += 100) onProgress(step);
  end();
  expect(texts).toHaveLength(3);
  expect(texts[1]).toMatch(/^\r3,000 deliveries/);
  expect(texts[2]).toBe('\n');
});

test('the progress of deliveries is a line every three seconds on a terminal without colours', () => {
  const { texts, time, onProgress, end } = printed({ isTTY: true, hasColors: false });
  for (time.now = 500; time.now <= 4_000; time.now += 500) onProgress(step);
  end();
  expect(texts).toEqual(['3,000 deliveries  667 per second  --after MTIz\n']);
});

test('the progress of deliveries is one object per line with --json', () => {
  const { texts, time, onProgress } = printed({ isJson: true });
  time.now = 4_000;
  onProgress(step);
  expect(JSON.parse(texts[0] ?? '')).toEqual({
    progress: { destination: 'crm', deliveries: 3_000, events: 2_100, perSecond: 500, cursor: 'MTIz' },
  });
});
