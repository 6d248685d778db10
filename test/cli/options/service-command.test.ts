import { expect, test } from 'vitest';
import { adminOf, printSynced } from '../../../src/cli/options/service-command.js';
import { readableTerminal } from '../terminal.js';

test('a command for a service needs a token', async () => {
  await expect(adminOf({ url: 'http://127.0.0.1:4100' })).rejects.toThrow(
    'no token; give --token TOKEN or set EVENTFERRY_ADMIN_TOKEN',
  );
});

test.each([
  [null, undefined, 'Score  score  1,200 users  not synced yet\n'],
  ['2026-11-20T12:00:00.000Z', undefined, 'Score  score  1,200 users  synced 2026-11-20T12:00:00.000Z\n'],
  [
    null,
    { phase: 'applying', received: 1_500, applied: 1_200 },
    'Score  score  1,200 users  not synced yet  applying, 1,200 of 1,500\n',
  ],
] as const)(
  'an audience or trait with the sync time %j is printed in one line with its progress (%#)',
  (syncedAt, sync, line) => {
    const { printed, terminal } = readableTerminal();
    printSynced({ name: 'Score', trait: 'score', syncedAt, sync }, '1,200 users', terminal);
    expect(printed.out).toBe(line);
  },
);
