import { expect, test } from 'vitest';
import { tellFailures } from '../../../src/cli/journal/failures.js';
import { client, next } from '../../support/client.js';
import { sink, status } from '../../support/sink.js';
import { readableTerminal } from '../terminal.js';

test('each reason why messages are not delivered is printed once, on one printable line', async () => {
  const { printed, terminal } = readableTerminal();
  const { url } = await sink(() => status(400, {}, 'a\u001b[2Jb'));
  const { analytics } = client({ endpoint: url, flushAt: 1 });
  tellFailures(analytics, terminal);
  for (const userId of ['u1', 'u2']) {
    await analytics.track({ userId, event: 'E' }).delivered.catch(() => {});
  }
  expect(printed.err).toMatch(/^journal: .*status 400: a\\u\{1b\}\[2Jb.* \(EVENTFERRY_REJECTED\)\n$/);
});

test('the end of the command itself is not printed as a reason why messages are not delivered', async () => {
  const { printed, terminal } = readableTerminal();
  const { analytics, clock, lost } = client({ endpoint: 'http://127.0.0.1:1', flushAt: 1 });
  tellFailures(analytics, terminal);
  const { delivered } = analytics.track({ userId: 'u1', event: 'E' });
  delivered.catch(() => {});
  await next(analytics, 'retry');
  const closed = analytics.close({ timeout: 1 });
  clock.advance(1);
  await closed;
  expect(lost).toMatchObject([{ error: { code: 'EVENTFERRY_ABORTED' } }]);
  expect(printed.err).toMatch(/^journal: .*ECONNREFUSED.*\n$/);
});
