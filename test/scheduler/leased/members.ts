import { onTestFinished } from 'vitest';
import { Destination } from '../../../src/destination/destination.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';
import type { Storage } from '../../../src/store/storage.js';
import { seal } from '../../../src/store/store.js';
import { FakeClock } from '../../support/fake-clock.js';

/** What stands for one process: a storage and a destination in it, in a time of their own. */
export interface Member {
  readonly storage: Storage;
  readonly destination: Destination;
  readonly clock: FakeClock;
  close(): Promise<void>;
}

export async function openMember(path: string, url: string): Promise<Member> {
  const clock = new FakeClock();
  const storage = await lmdbStorage({ path, clock });
  const store = await storage.deliveries('crm');
  // Tests let this time go on while a request is under way, which takes real time.
  const settings = { webhooks: [{ url }], requestTimeout: 60_000, allowLoopback: true, store: seal(store) };
  const destination = await Destination.openIn(settings, { clock, random: () => 0.5 });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      await destination.close();
      await storage.close();
    })();
    return closing;
  };
  onTestFinished(close);
  const member = { storage, destination, clock, close };
  await pass([member], 100);
  return member;
}

/** Lets time go on for these, and everything be written that this leads to. One that is left out is suspended. */
export async function pass(members: readonly Member[], ms: number): Promise<void> {
  for (let passed = 100; passed <= ms; passed += 100) {
    for (const { clock } of members) await clock.pass(100);
    if (passed % 500 === 0 || passed === ms) for (const { storage } of members) await storage.check();
  }
}
