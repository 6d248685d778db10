import { Analytics } from 'eventferry';
import { after } from 'next/server';

export const analytics = new Analytics({
  writeKey: process.env.EVENTFERRY_WRITE_KEY ?? 'dev',
  endpoint: process.env.EVENTFERRY_ENDPOINT ?? 'http://127.0.0.1:4100',
  // The answer goes out first, and Next goes on until what its request has tracked is delivered.
  waitUntil: after,
});
