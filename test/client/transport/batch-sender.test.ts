import { gunzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import {
  AbortedError,
  AnswerError,
  ConnectionError,
  ForgottenError,
  LoadError,
  RefusesAllError,
  RetriesExhaustedError,
} from '../../../src/base/errors/errors.js';
import { compress } from '../../../src/client/platform/node.js';
import { BatchSender, type Retry, type Sending } from '../../../src/client/transport/batch-sender.js';
import type { Outcome } from '../../../src/client/transport/response-outcome.js';
import { FakeClock } from '../../support/fake-clock.js';

const delivered: Outcome = { verdict: 'delivered', status: 200, rejections: [] };
const refused: Outcome = { verdict: 'split', status: 400, answer: 'no' };
const body = new Uint8Array(1);

type Attempt = (sending: Sending) => Promise<void>;

/** Sends one request as soon as sending is not paused. */
async function post(sending: Sending, makeBody: () => Uint8Array<ArrayBuffer> = () => body): Promise<Outcome> {
  await sending.pass();
  return sending.post(makeBody());
}

/** An attempt of one request. */
const once =
  (makeBody = () => body, outcomes: Outcome[] = []): Attempt =>
  async (sending) => {
    outcomes.push(await post(sending, makeBody));
  };

/** Repeats an attempt until it succeeds or no attempt is left. */
async function send(sender: BatchSender, attempt: Attempt, onRetry: (retry: Retry) => void = () => {}): Promise<void> {
  const sending = sender.begin();
  for (;;) {
    try {
      await attempt(sending);
      sending.finish();
      return;
    } catch (error) {
      onRetry(sending.fail(error));
    }
  }
}

/** A sender that posts in this way. */
function senderOf(
  post: (body: Uint8Array, retries: number) => Promise<Outcome>,
  { retryFor = 60_000, maxRetries = 10, gzip = false, random = (): number => 0.5 } = {},
) {
  const clock = new FakeClock();
  const requester = { post, abort: vi.fn() };
  const sender = new BatchSender({ requester, clock, random, retryFor, maxRetries, gzip, compress });
  return { sender, clock, breaker: sender.breaker, requester };
}

/** A sender whose requester returns these in order, and then always the last one. Each pause ends at once. */
function run(
  answers: (Outcome | Error)[],
  {
    retryFor = 60_000,
    maxRetries = Number.POSITIVE_INFINITY,
    attempt = undefined as Attempt | undefined,
    random = (): number => 0.5,
  } = {},
) {
  const outcomes: Outcome[] = [];
  const retries: Retry[] = [];
  const attempts: number[] = [];
  const post = async (_: Uint8Array, retriesBefore: number): Promise<Outcome> => {
    attempts.push(retriesBefore);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer ?? delivered;
  };
  const { sender, clock, breaker } = senderOf(post, { retryFor, maxRetries, random });
  const sent = send(sender, attempt ?? once(undefined, outcomes), (retry) => {
    retries.push(retry);
    queueMicrotask(() => clock.advance(retry.delayMs));
  });
  return { sent, outcomes, retries, attempts, clock, breaker, sender };
}

const unavailable = () => new AnswerError(503, '', undefined);
const ordered = (ms: number) => new AnswerError(429, '', ms);

test('a final response is returned after one attempt', async () => {
  const { sent, outcomes, attempts, retries } = run([delivered]);
  await sent;
  expect(outcomes).toEqual([delivered]);
  expect(attempts).toEqual([0]);
  expect(retries).toEqual([]);
});

test('failures are retried at growing intervals, and each attempt knows how many came before', async () => {
  const { sent, attempts, retries } = run([unavailable(), new ConnectionError('reset'), unavailable(), delivered]);
  await sent;
  expect(attempts).toEqual([0, 1, 2, 3]);
  expect(retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
    [1, 250],
    [2, 500],
    [3, 1_000],
  ]);
});

test('each pause is in whole milliseconds, and all of them together are within retryFor', async () => {
  const { sent, attempts, retries, clock } = run([unavailable()], { retryFor: 10_000, random: () => 1 / 3 });
  await expect(sent).rejects.toBeInstanceOf(RetriesExhaustedError);
  const delays = retries.map(({ delayMs }) => delayMs);
  expect(delays.filter((delayMs) => !Number.isInteger(delayMs))).toEqual([]);
  expect(delays.reduce((sum, delayMs) => sum + delayMs, 0)).toBe(clock.passed);
  expect(clock.passed).toBeLessThanOrEqual(10_000);
  // The next pause would be twice as long as the last one.
  expect(clock.passed + 2 * (delays.at(-1) ?? 0)).toBeGreaterThan(10_000);
  expect(attempts).toHaveLength(delays.length + 1);
});

test.each([0, 1, 3])('with maxRetries %i there is that number of attempts plus one', async (maxRetries) => {
  const { sent, attempts } = run([unavailable()], { maxRetries });
  await expect(sent).rejects.toMatchObject({ code: 'EVENTFERRY_RETRIES_EXHAUSTED', attempts: maxRetries + 1 });
  expect(attempts).toHaveLength(maxRetries + 1);
});

test('waits that the collector ordered do not count against maxRetries', async () => {
  const { sent, attempts } = run([ordered(1_000), ordered(1_000), unavailable(), ordered(1_000), unavailable()], {
    maxRetries: 1,
  });
  await expect(sent).rejects.toBeInstanceOf(RetriesExhaustedError);
  expect(attempts).toHaveLength(5);
});

test('no attempt begins after retryFor, and the last failure is the cause', async () => {
  const last = unavailable();
  const { sent, attempts, clock } = run([last], { retryFor: 4_000 });
  await expect(sent).rejects.toMatchObject({ code: 'EVENTFERRY_RETRIES_EXHAUSTED', cause: last });
  // The attempts are at 0, 250, 750, 1750 and 3750 ms; the next would be at 7750 ms.
  expect(attempts).toHaveLength(5);
  expect(clock.passed).toBe(3_750);
});

test("changing the machine's clock neither ends nor prolongs the retries", async () => {
  let attempts = 0;
  const { sender, clock } = senderOf(async () => {
    if (++attempts < 4) throw unavailable();
    return delivered;
  });
  const jumps = [86_400_000, -86_400_000, 86_400_000];
  const sent = send(sender, once(), ({ delayMs }) => {
    clock.jump(jumps.shift() ?? 0);
    queueMicrotask(() => clock.advance(delayMs));
  });
  await expect(sent).resolves.toBeUndefined();
});

test('an error that is not a failed attempt is not retried', async () => {
  const error = new AbortedError('a test says so');
  const { sent, attempts } = run([error]);
  await expect(sent).rejects.toBe(error);
  expect(attempts).toHaveLength(1);
});

test.each([
  ['cannot be written', new RangeError('no memory to write it in')],
  ['needs a module that cannot be loaded', new LoadError('undici', new Error('no such module'))],
])('a probe of a half-open breaker whose request %s does not keep the other callers waiting', async (_, error) => {
  const { sender, clock, breaker } = senderOf(async () => delivered, { retryFor: 1, maxRetries: 0 });
  breaker.failed(0, undefined);
  const first = send(
    sender,
    once(() => {
      throw error;
    }),
    () => {},
  );
  const second = send(sender, once(), () => {});
  clock.advance(250);
  await expect(first).rejects.toBe(error);
  clock.advance(500);
  await expect(second).resolves.toBeUndefined();
});

const twice: Attempt = async (sending) => {
  await post(sending);
  await post(sending);
};

test('a batch that is forgotten while it waits for a retry is not a failure, and the next one is tried at once', async () => {
  const posted: number[] = [];
  const { sender, clock, breaker } = senderOf(async (_, retries) => {
    posted.push(retries);
    if (posted.length === 1) throw new ConnectionError('reset');
    return delivered;
  });
  const forgotten = sender.begin();
  await expect(post(forgotten)).rejects.toThrow('reset');
  const { delayMs } = forgotten.fail(new ConnectionError('reset'));
  const again = post(forgotten, () => {
    throw new ForgottenError();
  });
  const next = post(sender.begin());
  again.catch(() => {});
  await clock.pass(delayMs);
  const error = await again.catch((reason: unknown) => reason);
  expect(() => forgotten.fail(error)).toThrow(ForgottenError);
  expect(breaker.failures).toBe(1);
  expect(await next).toBe(delivered);
  expect(posted).toEqual([0, 0]);
});

test('an attempt of several requests starts counting again after each final response of the collector', async () => {
  const answers = [unavailable(), delivered, unavailable(), delivered, delivered];
  const { sent, attempts, retries } = run(answers, { attempt: twice, maxRetries: 1 });
  await sent;
  expect(attempts).toEqual([0, 1, 0, 1, 0]);
  expect(retries.map(({ attempt }) => attempt)).toEqual([1, 1]);
});

test('requests refused with 400 do not close the circuit breaker, and others wait until one is accepted', async () => {
  const answers = [refused, refused, delivered];
  const { sender, clock, breaker } = senderOf(async () => answers.shift() ?? delivered);
  breaker.failed(0, undefined);
  let isPast = false;
  const seen: boolean[] = [];
  const sent = send(
    sender,
    async (sending) => {
      for (let request = 0; request < 3; request++) {
        await post(sending);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(isPast);
      }
    },
    () => {},
  );
  const other = breaker.pass()?.then(() => (isPast = true));
  clock.advance(250);
  await sent;
  await other;
  expect(seen).toEqual([false, false, true]);
});

test('no request follows one that was refused with 400 while sending is paused for another', async () => {
  const answers = [refused, unavailable(), delivered];
  const { sender, clock } = senderOf(async () => {
    const answer = answers.shift() ?? delivered;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const [first, second] = [sender.begin(), sender.begin()];
  await post(first);
  await post(second).catch((error: unknown) => second.fail(error));
  let isMade = false;
  const posted = post(first, () => {
    isMade = true;
    return body;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isMade).toBe(false);
  clock.advance(250);
  await expect(posted).resolves.toEqual(delivered);
});

test('retryFor starts again after each final response of the collector', async () => {
  const attempt: Attempt = async (sending) => {
    await post(sending);
    clock.advance(5_000);
    await post(sending);
  };
  const { sent, clock } = run([delivered, unavailable(), delivered], { attempt, retryFor: 1_000 });
  await expect(sent).resolves.toBeUndefined();
});

test('an attempt that finds everything refused has failed: the pauses grow, and the last failure is the cause', async () => {
  const last = new RefusesAllError(400, 'no');
  const attempt: Attempt = async (sending) => {
    await post(sending);
    throw last;
  };
  const { sent, retries, sender } = run([refused], { attempt, maxRetries: 3 });
  await expect(sent).rejects.toMatchObject({ code: 'EVENTFERRY_RETRIES_EXHAUSTED', attempts: 4, cause: last });
  expect(retries.map(({ delayMs }) => delayMs)).toEqual([250, 500, 1_000]);
  expect(sender.lastFailure).toBe(last);
});

test('lastFailure is kept until something succeeds', async () => {
  const failure = new ConnectionError('reset');
  const { sent, sender, retries } = run([failure, delivered]);
  expect(sender.lastFailure).toBeUndefined();
  await expect.poll(() => retries.length).toBe(1);
  await sent;
  expect(sender.lastFailure).toBeUndefined();
  const { sent: lost, sender: other } = run([failure], { maxRetries: 0 });
  await expect(lost).rejects.toThrow('reset');
  expect(other.lastFailure).toBe(failure);
});

test('with gzip, each body is compressed for its request', async () => {
  const sent: string[] = [];
  const { sender } = senderOf(
    async (bytes) => {
      sent.push(gunzipSync(bytes).toString());
      return delivered;
    },
    { gzip: true },
  );
  await send(
    sender,
    once(() => Buffer.from('{"batch":[]}')),
    () => {},
  );
  expect(sent).toEqual(['{"batch":[]}']);
});

test('cut() ends waiting and running requests', async () => {
  const { sender, breaker, requester } = senderOf(async () => delivered);
  breaker.failed(0, undefined);
  const waiting = send(sender, once(), () => {});
  const error = new AbortedError('the test is over');
  sender.cut(error);
  await expect(waiting).rejects.toBe(error);
  expect(requester.abort).toHaveBeenCalledWith(error);
});
