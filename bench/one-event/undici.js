import { Pool } from 'undici';
import { messageOf } from '../event.js';

const pool = new Pool(process.env.BENCH_URL);
const body = JSON.stringify({ batch: [messageOf(1)], sentAt: new Date().toISOString() });
const headers = { 'Content-Type': 'application/json' };
const answer = await pool.request({ method: 'POST', path: '/v1/batch', headers, body });
if (answer.statusCode !== 200) process.exitCode = 1;
await answer.body.text();
await pool.close();
