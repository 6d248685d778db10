import { expect, onTestFinished, test, vi } from 'vitest';
import { reportSending } from '../../../src/cli/journal/sending-report.js';
import { client, next } from '../../support/client.js';
import { sink, status } from '../../support/sink.js';
import { readableTerminal } from '../terminal.js';

const NOTHING = { delivered: 0, failed: 0, of: 0 };

test('each reason why messages are not delivered is printed once, on one printable line', async () => {
  const { printed, terminal } = readableTerminal();
  const { url } = await sink(() => status(400, {}, 'a\u001b[2Jb'));
  const { analytics } = client({ endpoint: url, flushAt: 1 });
  onTestFinished(reportSending(analytics, terminal, () => NOTHING));
  for (const userId of ['u1', 'u2']) {
    await analytics.track({ userId, event: 'E' }).delivered.catch(() => {});
  }
  expect(printed.err).toMatch(/^journal: .*status 400: a\\u\{1b\}\[2Jb.* \(EVENTFERRY_REJECTED\)\n$/);
});

test('the end of the command itself is not printed as a reason why messages are not delivered', async () => {
  const { printed, terminal } = readableTerminal();
  const { analytics, clock, lost } = client({ endpoint: 'http://127.0.0.1:1', flushAt: 1 });
  onTestFinished(reportSending(analytics, terminal, () => NOTHING));
  const { delivered } = analytics.track({ userId: 'u1', event: 'E' });
  delivered.catch(() => {});
  await next(analytics, 'retry');
  const closed = analytics.close({ timeout: 1 });
  clock.advance(1);
  await closed;
  expect(lost).toMatchObject([{ error: { code: 'EVENTFERRY_ABORTED' } }]);
  expect(printed.err).toMatch(/^journal: .*ECONNREFUSED.*\n$/);
});

test('the progress of a replay is a bar on a terminal', () => {
  const { printed, terminal } = readableTerminal({ isTTY: true });
  reportSending(client({ endpoint: 'http://127.0.0.1:1' }).analytics, terminal, () => ({
    delivered: 1_200,
    failed: 3,
    of: 2_000,
  }))();
  expect(printed.err).toContain('━');
  expect(printed.err).toContain('1,200 of 2,000 delivered, 3 failed');
});

test('the progress of a replay is a line every three seconds on a terminal without colours', () => {
  vi.useFakeTimers();
  const { printed, terminal } = readableTerminal({ isTTY: true, hasColors: false });
  const end = reportSending(client({ endpoint: 'http://127.0.0.1:1' }).analytics, terminal, () => ({
    delivered: 1_200,
    failed: 0,
    of: 2_000,
  }));
  // It prints no further line while nothing changes.
  vi.advanceTimersByTime(9_000);
  end();
  vi.useRealTimers();
  expect(printed.err).toBe('1,200 of 2,000 delivered\n');
});
