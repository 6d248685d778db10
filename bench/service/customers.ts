// A service of many customers whose history is full: what each way to look at it takes, on lmdb or the Redis of the URL.
//
//   node --import tsx bench/service/customers.ts [customers=500] [attempts=1000000] [redis://…] [--json]
//
// The customers and the looks are those of the test: test/e2e/customers.ts, test/e2e/looks.ts. Only CPU is measured, which holds on a
// busy machine as well.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lmdbStorage, redisStorage } from '../../src/service/index.js';
import { openCustomers } from '../../test/e2e/customers.js';
import { LOOKS, type Look, Looker } from '../../test/e2e/looks.js';

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });
const [customers = '500', attempts = '1000000', redisUrl] = positionals;

const folder = await mkdtemp(join(tmpdir(), 'eventferry-customers-'));
const storage = await (redisUrl === undefined
  ? lmdbStorage({ path: folder })
  : redisStorage({ url: redisUrl, prefix: `customers-${process.pid}` }));
const { url, close } = await openCustomers({ storage, customers: Number(customers), attempts: Number(attempts) });
const looker = new Looker(url);
const looks: Look[] = [];
// Only `eventferry serve` has the page.
for (const path of LOOKS) if (path !== '/') looks.push(await looker.look(path));
await looker.close();
await close();
await storage.close();
await rm(folder, { recursive: true });

if (values.json) console.log(JSON.stringify(looks));
else for (const { path, heldMs, cpuMs, bytes } of looks) console.log(path, heldMs.toFixed(1), cpuMs.toFixed(1), bytes);
