import { request } from 'node:http';
import { messageOf } from '../event.js';

const body = JSON.stringify({ batch: [messageOf(1)], sentAt: new Date().toISOString() });
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
request(`${process.env.BENCH_URL}/v1/batch`, { method: 'POST', headers, agent: false }, (answer) => {
  if (answer.statusCode !== 200) process.exitCode = 1;
  answer.resume();
}).end(body);
