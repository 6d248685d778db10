/** A process with limited file sizes. It adds events until that fails, and again once it is told that there is room. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newEvent } from '../../../src/delivery/completion-rule.js';
import { lmdbStorage } from '../../../src/store/lmdb/lmdb-storage.js';

const [path = ''] = process.argv.slice(2);
const storage = await lmdbStorage({ path });
const store = await storage.deliveries('crm');
const { keyValues } = storage;
const body = new Uint8Array(20_000).fill(65);
const accepted: string[] = [];
const refused: string[] = [];
const reasons = new Set<string>();

/** Takes in a batch as the service does with a request. */
async function take(batch: number): Promise<boolean> {
  const ids = Array.from({ length: 10 }, (_, index) => `m${batch}-${index}`);
  const deliveryOf = (id: string) => ({ store, event: newEvent(id, 'track', ['https://a.example/'], batch) });
  const intakes = ids.map((id) => ({ id, body, deliveries: [deliveryOf(id)] }));
  const written = keyValues.write([{ key: `batch/${batch}`, value: 'x' }]);
  const isTaken = await all([storage.takeIn('web', intakes, batch), written]);
  (isTaken ? accepted : refused).push(...ids);
  return isTaken;
}

async function all(work: Promise<unknown>[]): Promise<boolean> {
  const ends = await Promise.allSettled(work);
  for (const each of ends) if (each.status === 'rejected') reasons.add(each.reason.code);
  return ends.every(({ status }) => status === 'fulfilled');
}

let batch = 0;
for (let failures = 0; failures < 3; batch++) if (!(await take(batch))) failures++;
process.send?.({ reasons: [...reasons] });
await once(process, 'message');
const isReady = (): Promise<boolean> =>
  storage.check().then(
    () => true,
    () => false,
  );
while (!(await isReady())) await delay(50);
const isTakenAgain = await take(batch);
await storage.close();
process.send?.({ accepted, refused, isTakenAgain });
process.disconnect();
