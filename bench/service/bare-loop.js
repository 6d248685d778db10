// What a POST costs that nobody stores, signs, retries or records: undici's own pool with 64 connections, each with the next
// request when its answer came. Says so to its parent.
import { once } from 'node:events';
import { Pool } from 'undici';
import { messageOf } from '../event.js';

const CONNECTIONS = 64;

const [url, warmUpMs, durationMs] = process.argv.slice(2);
const pool = new Pool(url, { connections: CONNECTIONS });
const body = Buffer.from(JSON.stringify(messageOf(1)));
const headers = { 'content-type': 'application/json' };

await postsIn(Number(warmUpMs));
const before = process.cpuUsage();
const posts = await postsIn(Number(durationMs));
const { user, system } = process.cpuUsage(before);
process.send({ microseconds: (user + system) / posts });
await once(process, 'disconnect');
process.exit();

async function postsIn(ms) {
  const end = performance.now() + ms;
  let posts = 0;
  const post = async () => {
    while (performance.now() < end) {
      const response = await pool.request({ path: '/0', method: 'POST', headers, body });
      await response.body.dump();
      posts++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, post));
  return posts;
}
