import { afterEach, expect, test, vi } from 'vitest';
import { newUuid } from '../../../src/client/platform/web.js';
import { Analytics } from '../../../src/index.js';
import { sink } from '../../support/sink.js';

afterEach(() => void vi.restoreAllMocks());

/** Return values of a carelessly mocked `Date.now()`. */
const broken = [[undefined], [Number.NaN]] as const;

const options = { writeKey: 'dev', endpoint: 'http://127.0.0.1:1' };

test.each(broken)('if `Date.now()` returns %s, the error of a call blames it and not the message', async (time) => {
  const analytics = new Analytics(options);
  vi.spyOn(Date, 'now').mockReturnValue(time as number);
  const calls = [
    () => analytics.track({ userId: 'u1', event: 'e' }),
    () => analytics.identify({ userId: 'u1', messageId: 'm1' }),
    () => analytics.child({ userId: 'u1' }).page({}),
  ];
  for (const call of calls) {
    expect(call).toThrow(
      expect.objectContaining({
        name: 'OptionError',
        option: 'Date.now()',
        message:
          'Expected `Date.now()` to be a number of milliseconds since 1970, got number NaN. The clock of the program is wrong, not the message: a test may have replaced it',
      }),
    );
  }
  expect(analytics.stats()).toMatchObject({ accepted: 0, lost: 0 });
  await analytics.close();
});

test.each(broken)('if `Date.now()` returns %s, `onInvalid: report` reports that too', async (time) => {
  const analytics = new Analytics({ ...options, onInvalid: 'report' });
  const errors: string[] = [];
  analytics.on('lost', ({ error }) => errors.push(error.message));
  vi.spyOn(Date, 'now').mockReturnValue(time as number);
  analytics.track({ userId: 'u1', event: 'e' });
  expect(errors).toEqual([expect.stringContaining('Expected `Date.now()` to be')]);
  await analytics.close();
});

test.each(broken)('a message with its own time is sent even if `Date.now()` returns %s', async (time) => {
  const { url, requests } = await sink();
  const analytics = new Analytics({ ...options, endpoint: url });
  const before = Date.now();
  const mocked = vi.spyOn(Date, 'now').mockReturnValue(time as number);
  analytics.track({ userId: 'u1', event: 'e', timestamp: '2026-11-20T12:00:00.000Z' });
  expect(await analytics.close()).toMatchObject({ delivered: 1 });
  mocked.mockRestore();
  const [batch] = requests as unknown as { sentAt: string }[];
  expect(Math.abs(Date.parse(batch?.sentAt ?? '') - before)).toBeLessThan(3_600_000);
});

test.each(broken)('the client for the web makes ids even if `Date.now()` returns %s', (time) => {
  vi.spyOn(Date, 'now').mockReturnValue(time as number);
  const ids = [newUuid(), newUuid()];
  expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(ids).toEqual([...new Set(ids)].sort());
});
