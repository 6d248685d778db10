/**
 * A function on AWS Lambda that answers in one piece and delivers after that: as an internal extension, the process is not frozen
 * until it has asked for its next event. An ES module, because an extension registers before the function has started.
 */
import { EventEmitter, on } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Analytics } from 'eventferry';

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
  requestTimeout: 2_000,
});

/** Asks Lambda's Extensions API. Not with `fetch`, whose timeouts a long freeze would pass. */
function ask(method: string, path: string, headers: Record<string, string>, body?: string): Promise<string> {
  const url = `http://${process.env['AWS_LAMBDA_RUNTIME_API']}/2020-01-01/extension/${path}`;
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers }, async (response) => {
      const answer = await text(response);
      if (response.statusCode === 200) resolve(String(response.headers['lambda-extension-identifier'] ?? ''));
      else reject(new Error(`Lambda answered ${response.statusCode} to ${path}: ${answer}`));
    });
    asking.on('error', reject).end(body);
  });
}

const invocations = new EventEmitter();
/** Keeps what comes before it is waited for. */
const ends = on(invocations, 'end');

async function flushAfterEach(extension: string): Promise<never> {
  for (;;) {
    // Asking says that this process may be frozen.
    await ask('GET', 'event/next', { 'Lambda-Extension-Identifier': extension });
    await ends.next();
    // What still waits when the time has passed is sent with the next invocation.
    await analytics.flush({ timeout: 5_000 }).catch((error: unknown) => console.warn(String(error)));
  }
}

const name = { 'Lambda-Extension-Name': 'eventferry' };
void flushAfterEach(await ask('POST', 'register', name, JSON.stringify({ events: ['INVOKE'] })));

export async function handler(event: { userId: string }): Promise<{ statusCode: number }> {
  try {
    analytics.track({ userId: event.userId, event: 'Function Invoked' });
    return { statusCode: 200 };
  } finally {
    invocations.emit('end');
  }
}
