import { expect, onTestFinished, test, vi } from 'vitest';
import { load } from '../../../src/client/transport/load-later.js';
import { client, next, track } from '../../support/client.js';
import { serve } from '../../support/loopback.js';
import { sink } from '../../support/sink.js';

/** Simulates a runtime in which one module cannot be loaded, and the reason. */
function without(module: string, why?: Error): void {
  const { getBuiltinModule } = process;
  const spy = vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) => {
    if (name !== module) return getBuiltinModule(name);
    if (why !== undefined) throw why;
    return undefined;
  }) as typeof getBuiltinModule);
  onTestFinished(() => spy.mockRestore());
}

test('load() returns a module of Node', async () => {
  expect(load('node:zlib')).toBe((await import('node:zlib')).default);
});

test('the error for a module that is missing names it', () => {
  without('node:zlib');
  expect(() => load('node:zlib')).toThrow(
    expect.objectContaining({
      code: 'EVENTFERRY_LOAD_FAILED',
      module: 'node:zlib',
      message: expect.stringContaining('node:zlib'),
    }),
  );
});

test.each([
  ['node:http', {}],
  ['node:zlib', { gzip: true }],
])(
  'a client that cannot load a module for sending loses its messages at once, and names %s',
  async (module, options) => {
    const why = new Error('A dynamic import callback was not specified');
    without(module, why);
    const { url, requests } = await sink();
    const { analytics, lost } = client({ endpoint: url, ...options });
    analytics.on('retry', () => expect.unreachable('it was tried again'));
    analytics.track(track());
    await analytics.flush();
    analytics.track(track());
    await analytics.flush();
    expect(lost.map(({ error }) => error)).toEqual(
      Array.from({ length: 2 }, () => expect.objectContaining({ code: 'EVENTFERRY_LOAD_FAILED', module, cause: why })),
    );
    expect(lost[0]?.error.message).toBe(`Cannot load ${module}, which sending needs: ${why.message}`);
    expect(analytics.stats()).toMatchObject({ accepted: 2, lost: 2, pending: 0, retries: 0 });
    expect(requests).toEqual([]);
  },
);

test('a client that cannot load a module for sending also loses the messages behind the first batch', async () => {
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(503).end();
  });
  const { analytics, clock, lost } = client({ endpoint: url, gzip: true, concurrency: 2, flushAt: 1 });
  const retried = next(analytics, 'retry');
  analytics.track(track());
  const { delayMs } = await retried;
  analytics.track(track());
  without('node:zlib');
  clock.advance(delayMs);
  await analytics.flush();
  expect(lost.map(({ error }) => error.code)).toEqual(['EVENTFERRY_LOAD_FAILED', 'EVENTFERRY_LOAD_FAILED']);
});
