import { messageOf } from '../event.js';

const body = JSON.stringify({ batch: [messageOf(1)], sentAt: new Date().toISOString() });
const headers = { 'Content-Type': 'application/json' };
const answer = await fetch(`${process.env.BENCH_URL}/v1/batch`, { method: 'POST', headers, body });
if (!answer.ok) process.exitCode = 1;
await answer.text();
