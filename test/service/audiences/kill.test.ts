import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/time/clock.js';
import { Audiences } from '../../../src/service/audiences/audiences.js';
import { LEASE_MS } from '../../../src/service/jobs/held-record.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import { bundled } from '../../support/bundled.js';
import { numbered } from './numbered.js';
import { membersOf, stagedOn } from './support.js';

const COUNT = 10_000;
const child = bundled(new URL('./kill-child.ts', import.meta.url));

test.each([
  ['audience', 'while its list comes', 'list', 0],
  ['audience', 'when it has stored messages for the first time', '1', COUNT],
  ['audience', 'when it has stored messages for the tenth time', '10', COUNT],
  ['trait', 'while its list comes', 'list', 0],
  ['trait', 'when it has stored messages for the tenth time', '10', COUNT],
])(
  'if a process that syncs an %s is killed %s, no user misses a message or gets it twice',
  async (kind, _, moment, members) => {
    const path = mkdtempSync(join(tmpdir(), 'eventferry-kill-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    const process = fork(child, [path, String(COUNT), moment, kind]);
    await once(process, 'message');
    process.kill('SIGKILL');
    await once(process, 'exit');

    const stored = new Map<string, string>();
    const keep = (id: string, userId: string): void => void stored.set(id, userId);
    if (members > 0) {
      for (const line of readFileSync(join(path, 'accepted'), 'utf8').trimEnd().split('\n')) {
        const [id = '', userId = ''] = line.split(' ');
        keep(id, userId);
      }
    }
    expect(stored.size).toBe(moment === 'list' ? 0 : Number(moment) * 500);
    const storage = await lmdbStorage({ path });
    onTestFinished(() => storage.close());
    const audiences = new Audiences({
      keyValues: storage.keyValues,
      accept: async (messages) => {
        for (const { messageId, userId } of messages) keep(messageId, String(userId));
      },
      onError: (error) => expect.fail(String(error)),
      // The clock is half a minute ahead, so the lease of the killed process has expired.
      clock: { ...systemClock(), wall: () => Date.now() + LEASE_MS },
    });
    onTestFinished(() => audiences.close());
    await audiences.resume();

    const expected = numbered(members).sort();
    expect([...stored.values()].sort()).toEqual(expected);
    expect((await membersOf(storage.keyValues, 'users')).sort()).toEqual(expected);
    expect(await stagedOn(storage.keyValues)).toEqual([]);
    const audienceCounts = (await audiences.members.list()).map(({ members, sync }) => ({ count: members, sync }));
    const traitCounts = (await audiences.traits.list()).map(({ users, sync }) => ({ count: users, sync }));
    expect([...audienceCounts, ...traitCounts]).toEqual(members === 0 ? [] : [{ count: members, sync: undefined }]);
  },
);
