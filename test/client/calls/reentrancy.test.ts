import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Analytics } from '../../../src/client/analytics.js';
import { nodePlatform } from '../../../src/client/platform.js';
import type { Message, Receipt, TransportRequest } from '../../../src/index.js';
import { FakeClock } from '../../support/fake-clock.js';

/** A client that runs `act` at one of the places where a program's own code runs. Its collector fails, refuses and accepts. */
function scene(place: string, act: (world: World) => void) {
  const [told, collected, receipts]: [Map<string, string>, string[], Receipt[]] = [new Map(), [], []];
  let runs = 0;
  const at = (here: string): void => {
    // Bounds the recursion if the act leads back to this place.
    if (here === place && runs++ < 3) act(world);
  };
  const clock = new FakeClock();
  const transport = ({ body }: TransportRequest) => {
    at('transport');
    const { batch } = JSON.parse(Buffer.from(body).toString()) as { batch: Message[] };
    if (collected.length === 0 && clock.now() === 0) return Promise.resolve({ status: 503 });
    const rejected = batch.flatMap((message, index) =>
      'event' in message && message.event === 'bad' ? [{ index }] : [],
    );
    const isRejected = new Set(rejected.map(({ index }) => index));
    collected.push(...batch.flatMap(({ messageId }, index) => (isRejected.has(index) ? [] : [messageId])));
    return Promise.resolve({ status: 200, body: JSON.stringify({ rejected }) });
  };
  const write = (level: string) => () => at(`logger.${level}`);
  let ids = 0;
  const analytics = new Analytics(
    {
      writeKey: 'key',
      endpoint: 'http://127.0.0.1:1',
      transport,
      maxQueueBytes: 66_000,
      logger: { debug: write('debug'), warn: write('warn'), error: write('error') },
      before: (message) => {
        at('before');
        return 'event' in message && message.event === 'dropped' ? null : message;
      },
    },
    { ...nodePlatform, clock, random: () => 0.5, newId: () => `id${ids++}` },
  );
  const tell = (as: string) => (event: { message: Message | undefined }) => {
    const messageId = event.message?.messageId ?? '';
    expect(told.has(messageId), 'told once').toBe(false);
    told.set(messageId, as);
    at(`on ${as}`);
  };
  analytics.on('delivered', tell('delivered'));
  analytics.on('lost', tell('lost'));
  analytics.on('flush', () => at('on flush'));
  analytics.on('retry', ({ delayMs }) => {
    at('on retry');
    queueMicrotask(() => clock.advance(delayMs));
  });
  const world: World = { analytics, clock, take: (make) => void tryTo(() => receipts.push(make())) };
  return { ...world, at, told, collected, receipts };
}

interface World {
  readonly analytics: Analytics;
  readonly clock: FakeClock;
  take(make: () => Receipt): void;
}

/** A closed client throws, which is expected here. */
function tryTo(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    expect(error).toMatchObject({ code: 'EVENTFERRY_CLOSED' });
  }
}

const actions: Record<string, (world: World) => void> = {
  track: ({ analytics, take }) => take(() => analytics.track({ userId: 'u', event: 'meanwhile' })),
  'track what is refused': ({ analytics, take }) => take(() => analytics.track({ userId: 'u', event: 'bad' })),
  'track what is dropped': ({ analytics, take }) => take(() => analytics.track({ userId: 'u', event: 'dropped' })),
  flush: ({ analytics }) => void analytics.flush(),
  close: ({ analytics }) => void analytics.close(),
  'close at once': ({ analytics, clock }) => {
    void analytics.close({ timeout: 0 });
    queueMicrotask(() => clock.advance(0));
  },
  stats: ({ analytics }) => {
    const { accepted, delivered, lost, pending } = analytics.stats();
    expect(delivered + lost + pending).toBe(accepted);
  },
};

const places = [
  'getter',
  'toJSON',
  'before',
  'transport',
  'logger.debug',
  'logger.warn',
  'logger.error',
  'on delivered',
  'on lost',
  'on flush',
  'on retry',
];

beforeEach(() => void vi.stubEnv('DEBUG', 'analytics'));
afterEach(() => void vi.unstubAllEnvs());

const cases = places.flatMap((place) => Object.keys(actions).map((action) => [action, place] as const));

test.each(cases)(
  '%s called from %s leaves counters, events, receipts and the collector in agreement',
  async (action, place) => {
    const { analytics, clock, take, at, told, collected, receipts } = scene(place, (world) => actions[action]?.(world));
    const large = 'x'.repeat(30_000);
    take(() => analytics.track({ userId: 'u', event: 'first' }));
    take(() =>
      analytics.track({
        userId: 'u',
        get event() {
          at('getter');
          return 'read';
        },
      }),
    );
    take(() => analytics.track({ userId: 'u', event: 'bad', properties: { x: { toJSON: () => at('toJSON') } } }));
    take(() => analytics.track({ userId: 'u', event: 'dropped' }));
    // The third of these messages finds the queue full.
    for (let i = 0; i < 3; i++) take(() => analytics.track({ userId: 'u', event: 'large', properties: { large } }));
    while (analytics.pending.messages > 0) await analytics.flush();
    const closed = analytics.close({ timeout: 0 });
    clock.advance(0);
    const stats = await closed;

    const ends = await Promise.all(
      receipts.map(async ({ messageId, filtered, delivered }) => {
        const end = await delivered.then(
          () => (filtered ? 'filtered' : 'delivered'),
          () => 'lost',
        );
        return [messageId, end] as const;
      }),
    );
    const count = (end: string): number => ends.filter(([, as]) => as === end).length;
    expect(stats).toMatchObject({
      pending: 0,
      delivered: count('delivered'),
      lost: count('lost'),
      filtered: count('filtered'),
    });
    expect(stats.accepted).toBe(stats.delivered + stats.lost);
    // Messages of an aborted request may still have arrived.
    const missing = ends.filter(
      ([id, end]) => end === 'delivered' && collected.filter((each) => each === id).length !== 1,
    );
    expect(missing).toEqual([]);
    const untold = ends.filter(([id, end]) => end !== 'filtered' && told.get(id) !== end);
    expect(untold).toEqual([]);
  },
);

test('messages that a lost listener tracks into a full queue are counted, but it is not called for them', async () => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  vi.stubEnv('DEBUG', '');
  const { transport } = { transport: () => new Promise<never>(() => {}) };
  const analytics = new Analytics({
    writeKey: 'key',
    endpoint: 'http://127.0.0.1:1',
    transport,
    maxQueueBytes: 66_000,
  });
  let told = 0;
  analytics.on('lost', () => {
    told++;
    analytics.track({ userId: 'u', event: 'Message Lost', properties: { large: 'x'.repeat(10_000) } });
  });
  for (let i = 0; i < 3; i++) analytics.track({ userId: 'u', event: 'e', properties: { large: 'x'.repeat(30_000) } });
  await expect.poll(() => warning).toHaveBeenCalled();
  const texts = warning.mock.calls.map(([text]) => text);
  warning.mockRestore();
  expect(told).toBe(1);
  expect(analytics.stats()).toMatchObject({ accepted: 4, lost: 2, pending: 2 });
  expect(texts).toEqual([expect.stringContaining('eventferry: lost 1 message: The queue is full')]);
});
