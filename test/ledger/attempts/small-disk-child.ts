/** A process whose folder is on a small disk. It keeps more attempts than the disk has room for, and reports what is left. */

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/base/time/clock.js';
import { Exchange } from '../../../src/destination/sending/exchange.js';
import { ErasedUsers } from '../../../src/ledger/attempts/erased-users.js';
import { KeptAttempts } from '../../../src/ledger/attempts/kept-attempts.js';
import { attempts } from '../../../src/ledger/attempts/search.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';

const EVENTS = 1_000;

const [path = ''] = process.argv.slice(2);
const storage = await lmdbStorage({ path });
const { keyValues } = storage;
const clock = systemClock();
const errors: string[] = [];
const recent = new KeptAttempts({
  storage,
  clock,
  deletedUsers: new ErasedUsers(keyValues, clock, true),
  process: 'small',
  onError: (error) => errors.push(String(error)),
});
recent.configure({ maxAge: 7 * 24 * 60 * 60_000 }, new Set());

function fail(id: string): void {
  const body = Buffer.from(JSON.stringify({ messageId: id, filler: randomBytes(30_000).toString('base64') }));
  recent.unwritten.record({
    ...{ destination: 'crm', id, key: 'https://a.example/', name: { endpoint: 'https://a.example/' } },
    attempt: { at: clock.now(), durationMs: 1, result: 'server-error', status: 503 },
    entry: undefined,
    exchange: new Exchange(body, {}, []),
  });
}

let hasRoom = true;
for (let event = 0; event < EVENTS; event++) {
  fail(`m${event}`);
  if (event % 10 !== 9) continue;
  await recent.write();
  await recent.close();
  await delay(1);
  try {
    storage.assertRoom();
  } catch {
    hasRoom = false;
  }
}
const kept: string[] = [];
for await (const { attempt } of attempts(keyValues, ['crm'])) kept.push(attempt.id);
await storage.close();
process.stdout.write(
  JSON.stringify({ hasRoom, errors, kept: kept.length, newest: Number(kept[0]?.slice(1)), events: EVENTS }),
);
