/** A function on AWS Lambda that streams its answer: the caller has all of it before the function flushes. */
import type { Writable } from 'node:stream';
import { Analytics } from 'eventferry';

type Handler = (event: { userId: string }, answer: Writable) => Promise<void>;

/** Lambda's own, in its Node runtimes. */
declare const awslambda: { streamifyResponse(handler: Handler): unknown };

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
  requestTimeout: 2_000,
});

export const handler = awslambda.streamifyResponse(async (event, answer) => {
  analytics.track({ userId: event.userId, event: 'Function Invoked' });
  answer.end('ordered');
  // Lambda freezes the process when this promise is settled, not when the answer is out.
  await analytics.flush({ timeout: 5_000 }).catch((error: unknown) => console.warn(String(error)));
});
