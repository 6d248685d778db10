import { expect, test, vi } from 'vitest';
import { showBulk } from '../../../src/cli/deliveries/change.js';
import { Destination } from '../../../src/destination/destination.js';
import { lmdbStore } from '../../../src/store/lmdb/lmdb-storage.js';
import { track } from '../../destination/track.js';
import { startEndpoint } from '../../scheduler/test-endpoint.js';
import { run } from '../command.js';
import { newFolder } from '../files.js';
import { readableTerminal } from '../terminal.js';
import { newStore } from './new-store.js';

test('deliveries replay marks letters, which the next destination delivers', async () => {
  const { path, open, endpoint } = await newStore();
  const { code, out } = await run(['deliveries', 'replay', path, '--message-id', 'gone']);
  expect({ code, out }).toEqual({
    code: 0,
    out: '1 delivery will be sent again when a destination opens the store\n',
  });
  expect(endpoint.received).toHaveLength(2);
  const destination = await open();
  await endpoint.has(3);
  await destination.close();
  expect(endpoint.received[2]?.body).toEqual(endpoint.received[0]?.body);
  expect((await run(['deliveries', 'list', path, '--dead'])).out).toBe('');
});

test('deliveries replay needs --send-to for the letters of a removed webhook', async () => {
  const path = await newFolder();
  const [removed, first, second] = [await startEndpoint(404), await startEndpoint(200), await startEndpoint(200)];
  const open = async (...webhooks: { url: string; id?: string }[]): Promise<Destination> =>
    Destination.open({ webhooks, settle: 'each', allowLoopback: true, store: await lmdbStore({ path }) });
  const before = await open({ url: removed.url, id: 'removed' });
  const dead = new Promise((resolve) => before.on('dead', resolve));
  await before.deliver(track('gone'));
  await dead;
  await before.close();
  await (await open({ url: first.url, id: 'first' }, { url: second.url })).close();
  const replay = (...args: string[]) => run(['deliveries', 'replay', path, '--all', ...args]);
  expect((await replay()).err).toBe(
    `deliveries: No delivery is sent again. The dead letters of ${removed.url} stay, because no such webhook is configured ` +
      `any more. Name the webhook that gets them in --send-to: first, ${second.url} (EVENTFERRY_DESTINATION_REPLAY_TARGET)\n`,
  );
  expect((await replay('--send-to', 'removed')).err).toContain('Expected --send-to to be the id or the URL');
  expect((await replay('--send-to', 'first')).out).toBe(
    '1 delivery will be sent again when a destination opens the store\n',
  );
  const after = await open({ url: second.url }, { url: first.url, id: 'first' });
  await after.idle();
  await after.close();
  expect([first.received.length, second.received.length]).toEqual([1, 0]);
});

test('deliveries discard deletes the letters that match its filter', async () => {
  const { path } = await newStore();
  const discard = (...args: string[]) => run(['deliveries', 'discard', path, ...args]);
  expect((await discard('--reason', 'window-over')).out).toBe('0 deliveries discarded\n');
  expect((await discard('--all', '--yes', '--rate', '10', '--json')).out).toBe('{"discarded":1}\n');
  expect((await run(['deliveries', 'list', path, '--dead'])).out).toBe('');
  expect((await discard('--all', '--yes', '--after', '!')).err).toContain('Expected --after to be the `cursor`');
});

test('deliveries discard --waiting deletes the waiting deliveries that match its filter, and no dead letters', async () => {
  const { path, open, endpoint } = await newStore();
  const discard = (...args: string[]) => run(['deliveries', 'discard', path, '--waiting', ...args]);
  expect((await discard('--user', 'nobody')).out).toBe('0 deliveries discarded\n');
  expect((await discard('--user', 'u1', '--dry-run')).out).toBe('1 delivery would be discarded\n');
  expect((await discard('--user', 'u1', '--reason', 'permanent')).err).toContain(
    '--reason cannot be combined with --waiting',
  );
  expect((await discard('--user', 'u1')).out).toBe('1 delivery discarded\n');
  expect((await run(['deliveries', 'list', path])).err).toBe('1 dead, 0 waiting\n');
  const destination = await open();
  await destination.idle();
  await destination.close();
  expect(endpoint.received).toHaveLength(2);
});

test('without a terminal, deliveries discard --all needs --yes, and --dry-run only counts', async () => {
  const { path } = await newStore();
  const discard = (...args: string[]) => run(['deliveries', 'discard', path, '--all', ...args]);
  expect(await discard()).toMatchObject({ code: 2, out: '', err: expect.stringContaining('give --yes to go on') });
  expect(await discard('--dry-run')).toMatchObject({ code: 0, out: '1 delivery would be discarded\n' });
  expect((await discard('--dry-run', '--json')).out).toBe('{"discarded":1,"dryRun":true}\n');
  expect((await discard('--yes')).out).toBe('1 delivery discarded\n');
});

function bulkShown(kind: Parameters<typeof readableTerminal>[0]): string {
  vi.useFakeTimers();
  const { printed, terminal } = readableTerminal(kind);
  const { onProgress, end } = showBulk(terminal, 1_000, 'crm');
  onProgress({ deliveries: 2_000, events: 2_100, cursor: 'MTIz' });
  vi.advanceTimersByTime(3_000);
  end();
  vi.useRealTimers();
  return printed.err;
}

test('the progress of deliveries is a line every three seconds, with the cursor to continue at', () => {
  expect(bulkShown({})).toBe('3,000 deliveries  667 per second  --after MTIz\n');
});

test('the progress of deliveries on a terminal is one line without a bar, because the total is unknown', () => {
  expect(bulkShown({ isTTY: true })).toMatch(/^[^━─]*3,000 deliveries {2}667 per second {2}--after MTIz[^━─]*$/);
});

test('the progress of deliveries is one object per line with --json', () => {
  expect(JSON.parse(bulkShown({ isJson: true }))).toEqual({
    progress: { destination: 'crm', deliveries: 3_000, events: 2_100, perSecond: 667, cursor: 'MTIz' },
  });
});
