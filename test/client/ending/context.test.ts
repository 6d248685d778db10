import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, onTestFinished, test } from 'vitest';
import { Analytics, type AnalyticsOptions } from '../../../src/index.js';
import { sink } from '../../support/sink.js';

interface User {
  readonly id: string;
}

const users = new AsyncLocalStorage<User>();

/** Calls `act` whenever one of Node's HTTP clients begins a request, at the point where an instrumentation would run. */
function atEachRequest(act: () => void): void {
  for (const channel of ['http.client.request.start', 'undici:request:create']) {
    subscribe(channel, act);
    onTestFinished(() => void unsubscribe(channel, act));
  }
}

async function newClient(options: Partial<AnalyticsOptions> = {}, answers: readonly number[] = []) {
  const { url, messages } = await sink(...answers);
  const analytics = new Analytics({ writeKey: 'k', endpoint: url, flushAt: 1, ...options });
  onTestFinished(async () => void (await analytics.close({ timeout: 0 })));
  return { analytics, messages };
}

/** Handles `count` requests of an app, each from another user and with its own message. */
async function serve(analytics: Analytics, count: number): Promise<void> {
  for (let request = 0; request < count; request++) {
    const id = `u${request}`;
    await users.run({ id }, async () => {
      const { delivered } = analytics.run({ userId: id }, () => analytics.current.track({ event: 'Seen' }));
      await delivered;
    });
  }
}

test('none of 600 requests to the collector runs in the context of a call', async () => {
  const { analytics, messages } = await newClient();
  let requests = 0;
  const strangers: User[] = [];
  atEachRequest(() => {
    requests++;
    const user = users.getStore();
    if (user !== undefined) strangers.push(user);
  });
  await serve(analytics, 600);
  expect(messages).toHaveLength(600);
  expect(requests).toBeGreaterThanOrEqual(600);
  expect(strangers).toEqual([]);
});

test('no request to the collector is a child of a span that was active during a call', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(() => context.disable());
  const tracer = provider.getTracer('test');
  const { analytics } = await newClient();
  atEachRequest(() => tracer.startSpan('POST').end());
  for (let request = 0; request < 50; request++) {
    const span = tracer.startSpan('GET /checkout');
    await context.with(trace.setSpan(context.active(), span), async () => {
      await analytics.track({ userId: 'u1', event: 'Seen' }).delivered;
    });
    span.end();
  }
  const posts = exporter.getFinishedSpans().filter(({ name }) => name === 'POST');
  expect(posts.length).toBeGreaterThanOrEqual(50);
  expect(posts.filter((span) => span.parentSpanContext !== undefined)).toEqual([]);
});

test("listeners and the logger do not run in the context of a call, and what a listener tracks gets no other user's id", async () => {
  const seen = new Set<string>();
  const note = (what: string) => seen.add(`${what} ${users.getStore()?.id ?? 'apart'}`);
  const logger = { debug() {}, warn: () => note('logger'), error: () => note('logger') };
  const events = {
    names: [],
    check: () => ({ kind: 'violation', path: 'track', event: 'Seen', issues: [], text: 'no' }),
  };
  const { analytics } = await newClient({ logger, events: events as never, onInvalid: 'report' }, [402]);
  for (const event of ['delivered', 'lost', 'flush', 'violation'] as const) analytics.on(event, () => void note(event));
  const audits: string[] = [];
  analytics.on('delivered', () => {
    try {
      analytics.current.track({ event: 'Audited' });
      audits.push('sent');
    } catch {
      audits.push('nobody');
    }
  });
  await users.run({ id: 'u1' }, async () => {
    await analytics.run({ userId: 'u1' }, async () => {
      await analytics.current.track({ event: 'Seen' }).delivered.catch(() => {});
      analytics.track({ userId: 7 as never, event: 'Seen' });
      analytics.current.track({ event: 'Seen' });
      await analytics.close();
    });
  });
  expect([...seen].sort()).toEqual(
    ['delivered', 'flush', 'logger', 'lost', 'violation'].map((what) => `${what} apart`),
  );
  expect(audits).not.toContain('nobody');
});

test('`before`, getters and `toJSON` run in the context of their call', async () => {
  const seen: (string | undefined)[] = [];
  const note = (): void => void seen.push(users.getStore()?.id);
  const { analytics } = await newClient({
    before: (message) => {
      note();
      return message;
    },
  });
  const properties = {
    total: { toJSON: note },
    get items() {
      return note();
    },
  };
  users.run({ id: 'u1' }, () => analytics.track({ userId: 'u1', event: 'Seen', properties }));
  expect(seen.length).toBeGreaterThanOrEqual(3);
  expect(new Set(seen)).toEqual(new Set(['u1']));
});

test('timers and retries of a client that was made in a request do not run in its context', async () => {
  const { url } = await sink(503);
  const contexts: (User | undefined)[] = [];
  const headers = () => {
    contexts.push(users.getStore());
    return {};
  };
  const analytics = users.run(
    { id: 'first' },
    () => new Analytics({ writeKey: 'k', endpoint: url, flushAfter: 1, headers }),
  );
  analytics.on('retry', () => contexts.push(users.getStore()));
  await users.run({ id: 'second' }, async () => {
    await analytics.track({ userId: 'u1', event: 'Seen' }).delivered;
  });
  expect(contexts).toEqual([undefined, undefined, undefined]);
  await analytics.close();
});
