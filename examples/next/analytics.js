import { Analytics } from 'eventferry';

export const analytics = new Analytics({
  writeKey: process.env.EVENTFERRY_WRITE_KEY ?? 'dev',
  endpoint: process.env.EVENTFERRY_ENDPOINT ?? 'http://127.0.0.1:4100',
});
