import asyncHooks from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Message, Tracker } from '../../../src/index.js';
import { client } from '../../support/client.js';
import { sink } from '../../support/sink.js';

async function connected(options: Parameters<typeof client>[0] | Record<string, never> = {}) {
  const collector = await sink();
  const { analytics } = client({ endpoint: collector.url, ...options });
  const sent = async () => {
    await analytics.flush();
    return collector.messages as (Message & { event?: string })[];
  };
  return { analytics, sent };
}

test('a run fills in fields for every call inside it, also nested and later ones, and for no other call', async () => {
  const { analytics, sent } = await connected();
  const emitter = new EventEmitter();
  const track = (event: string) => analytics.current.track({ event });
  await analytics.run({ userId: 'u1', context: { ip: '1' } }, async () => {
    track('at once');
    await Promise.resolve();
    track('after an await');
    await delay(1);
    track('after a timer');
    setImmediate(() => {
      track('in a callback');
      emitter.emit('done');
    });
    await once(emitter, 'done');
  });
  expect(() => track('outside')).toThrow('track.userId');
  expect((await sent()).map(({ event, userId, context }) => [event, userId, context])).toEqual([
    ['at once', 'u1', expect.objectContaining({ ip: '1' })],
    ['after an await', 'u1', expect.objectContaining({ ip: '1' })],
    ['after a timer', 'u1', expect.objectContaining({ ip: '1' })],
    ['in a callback', 'u1', expect.objectContaining({ ip: '1' })],
  ]);
});

test('concurrent runs do not mix', async () => {
  const { analytics, sent } = await connected();
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  const oneRun = (n: number) =>
    analytics.run({ userId: `u${n}` }, async () => {
      for (let turn = 0; turn < n % 7; turn++) await Promise.resolve();
      analytics.current.track({ event: `e${n}` });
      await delay(n % 3);
      analytics.current.track({ event: `e${n}` });
    });
  await Promise.all(numbers.map(oneRun));
  const messages = await sent();
  expect(messages).toHaveLength(100);
  expect(messages.filter(({ event, userId }) => event?.slice(1) !== userId?.slice(1))).toEqual([]);
});

test("fields of a message win over a child's, a child's over a run's, an inner run's over an outer's, all over the client's", async () => {
  const { analytics, sent } = await connected({ context: { app: 'c', a: 'c', b: 'c', c: 'c', d: 'c' } } as never);
  const child = analytics.child({ context: { a: 'child', b: 'child' }, integrations: { A: true } });
  analytics.run(
    { userId: 'outer', anonymousId: 'a1', context: { a: 'outer', b: 'outer', c: 'outer', d: 'outer' } },
    () =>
      analytics.run(
        { userId: 'inner', context: { a: 'run', b: 'run', c: 'run' }, integrations: { A: false, B: true } },
        () => child.track({ event: 'e', context: { a: 'message' } }),
      ),
  );
  expect(await sent()).toMatchObject([
    {
      userId: 'inner',
      anonymousId: 'a1',
      context: { app: 'c', a: 'message', b: 'child', c: 'run', d: 'outer' },
      integrations: { A: true, B: true },
    },
  ]);
});

test('a child that was made inside a run has only its own fields outside of it', async () => {
  const { analytics, sent } = await connected();
  const child: Tracker = analytics.run({ context: { ip: '1' } }, () => analytics.child({ userId: 'u1' }));
  child.track({ event: 'e' });
  expect((await sent())[0]).not.toHaveProperty('context.ip');
});

test('enrich adds fields to the current run, for all later calls in any part of it', async () => {
  const { analytics, sent } = await connected();
  await analytics.run({ anonymousId: 'a1', context: { ip: '1' } }, async () => {
    analytics.current.track({ event: 'before' });
    const authenticate = async () => {
      await delay(1);
      analytics.enrich({ userId: 'u1', context: { locale: 'de' } });
    };
    await authenticate();
    analytics.current.track({ event: 'after' });
  });
  const [before, after] = await sent();
  expect(before).not.toHaveProperty('userId');
  expect(after).toMatchObject({ userId: 'u1', anonymousId: 'a1', context: { ip: '1', locale: 'de' } });
});

test('enrich inside an inner run does not change the outer one', async () => {
  const { analytics, sent } = await connected();
  analytics.run({ userId: 'outer' }, () => {
    analytics.run({}, () => analytics.enrich({ userId: 'inner' }));
    analytics.current.track({ event: 'e' });
  });
  expect(await sent()).toMatchObject([{ userId: 'outer' }]);
});

test('a run of one client does not affect another client', async () => {
  const { analytics } = await connected();
  const other = await connected();
  analytics.run({ userId: 'u1' }, () => {
    expect(() => other.analytics.current.track({ event: 'e' })).toThrow('track.userId');
    expect(() => other.analytics.enrich({ userId: 'u1' })).toThrow('outside of `run()`');
  });
});

test('runs of several clients inside one another each fill in the fields of their own client', async () => {
  const [one, other] = [await connected(), await connected()];
  one.analytics.run({ userId: 'u1' }, () =>
    other.analytics.run({ userId: 'u2' }, () =>
      one.analytics.run({ context: { inner: true } }, () => {
        one.analytics.current.track({ event: 'e' });
        other.analytics.current.track({ event: 'e' });
      }),
    ),
  );
  expect(await one.sent()).toMatchObject([{ userId: 'u1', context: { inner: true } }]);
  expect(await other.sent()).toMatchObject([{ userId: 'u2' }]);
});

test('all clients that have runs share one AsyncLocalStorage', async () => {
  const made = vi.spyOn(asyncHooks, 'AsyncLocalStorage');
  onTestFinished(() => made.mockRestore());
  for (let count = 0; count < 3; count++) (await connected()).analytics.run({ userId: 'u1' }, () => {});
  expect(made.mock.calls.length).toBeLessThanOrEqual(1);
});

test('run returns and throws what its function does, and works without its object', async () => {
  const { analytics, sent } = await connected();
  const { run, enrich } = analytics;
  expect(run({}, () => 7)).toBe(7);
  expect(() =>
    run({}, () => {
      throw new Error('ours');
    }),
  ).toThrow('ours');
  run({}, () => {
    enrich({ userId: 'u1' });
    analytics.current.page({ name: 'p' });
  });
  expect(await sent()).toMatchObject([{ userId: 'u1', type: 'page' }]);
});

test('a before function sees the fields that a run fills in', async () => {
  const seen: unknown[] = [];
  const { analytics, sent } = await connected({
    before: (message: { userId?: unknown }) => {
      seen.push(message.userId);
      return message;
    },
  } as never);
  analytics.run({ userId: 'u1' }, () => analytics.current.track({ event: 'e' }));
  await sent();
  expect(seen).toEqual(['u1']);
});

test('a run does not fill in fields for an import, whose rows belong to others', async () => {
  const { analytics, sent } = await connected();
  const row = { type: 'track', anonymousId: 'a1', event: 'e', timestamp: '2020-01-01T00:00:00Z' } as const;
  await analytics.run({ userId: 'u1' }, () => analytics.import([row]));
  expect((await sent())[0]).not.toHaveProperty('userId');
});

test('run and enrich refuse invalid arguments, and say what to write', async () => {
  const { analytics } = await connected();
  expect(() => analytics.run({ userId: 7 } as never, () => {})).toThrow('Expected `userId` to be a non-empty string');
  expect(() => analytics.run({ user: 'u1' } as never, () => {})).toThrow('`user`');
  expect(() => analytics.run({}, undefined as never)).toThrow(
    'Expected `run` to be called with a function as the second argument, got undefined',
  );
  expect(() => analytics.run((() => {}) as never, undefined as never)).toThrow("run({ userId: 'u1' }");
  expect(() => analytics.enrich({ userId: 'u1' })).toThrow(
    expect.objectContaining({ code: 'EVENTFERRY_OUTSIDE_RUN', name: 'OutsideRunError' }),
  );
});
