import { once } from 'node:events';
import { expect, test } from 'vitest';
import { serve } from '../../support/loopback.js';
import { run, type Script } from '../../support/script.js';
import { type Sink, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A collector that takes requests and never answers. */
const silent = (): Promise<string> => serve(() => {});

/** A program that tracks three messages and then does something. */
const program = (endpoint: string, journal: string, rest: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal: '${journal}' });
  const receipts = [0, 1, 2].map((n) => analytics.track({ userId: 'u', event: 'e' + n }));
  ${rest}
`;

/** What a program that comes later sends for one that has ended. */
async function sentByTheNext(journal: string): Promise<string[]> {
  const collector = await sink();
  const { code, stderr } = await run(`
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', journal: '${journal}' });
    await analytics.close();
  `).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return eventsOf(collector);
}

const eventsOf = ({ messages }: Sink): string[] => messages.map((message) => (message as { event: string }).event);

const ALL = ['e0', 'e1', 'e2'];

/** Resolves once the program has written a line. */
const said = ({ child }: Script): Promise<unknown> => once(child.stdout as NodeJS.ReadableStream, 'data');

const STORED = `await Promise.all(receipts.map(({ stored }) => stored)); console.log('stored');`;
const FOR_EVER = 'setInterval(() => {}, 1_000);';

test.each([
  ['process.exit() right after the calls', 'process.exit(7);', 7],
  ['an exception that is not caught', "throw new Error('boom');", 1],
  ['a rejection that is not handled', "Promise.reject(new Error('boom'));", 1],
  ['process.abort()', `${STORED} process.abort();`, null],
  ['running out of memory', `${STORED} const all = []; for (;;) all.push(new Array(1e6).fill(all.length));`, null],
])('nothing is lost by %s: the next process sends it', async (_, rest, expected) => {
  const journal = temporaryFolder();
  const { code, stderr } = await run(program(await silent(), journal, rest), {
    NODE_OPTIONS: '--max-old-space-size=64',
  }).ended;
  expect(code).toBe(expected);
  expect(stderr).not.toContain('eventferry: lost');
  expect(await sentByTheNext(journal)).toEqual(ALL);
});

test.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)('nothing that was stored is lost by %s', async (signal) => {
  const journal = temporaryFolder();
  const script = run(program(await silent(), journal, `${STORED} ${FOR_EVER}`));
  await said(script);
  script.child.kill(signal);
  expect((await script.ended).signal).toBe(signal);
  expect(await sentByTheNext(journal)).toEqual(ALL);
});

test('a program that ends by itself delivers, and leaves nothing to send', async () => {
  const journal = temporaryFolder();
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, journal, '')).ended;
  expect({ code, stderr, events: eventsOf(collector) }).toEqual({ code: 0, stderr: '', events: ALL });
  expect(await sentByTheNext(journal)).toEqual([]);
});

test('what a worker thread that is terminated had stored is sent by a client of the same process', async () => {
  const journal = temporaryFolder();
  const collector = await sink();
  const tell = "(await import('node:worker_threads')).parentPort.postMessage('stored');";
  const worker = JSON.stringify(program(await silent(), journal, `${STORED} ${tell}`));
  const script = run(`
    import { Worker } from 'node:worker_threads';
    import { once } from 'node:events';
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', journal: '${journal}' });
    const worker = new Worker(${worker}, { eval: true });
    await once(worker, 'message');
    await worker.terminate();
    analytics.on('journal', async ({ kind }) => {
      if (kind !== 'recovered') return;
      await analytics.flush();
      process.exit();
    });
    ${FOR_EVER}
  `);
  const { code, stderr } = await script.ended;
  expect({ code, stderr, events: eventsOf(collector) }).toEqual({ code: 0, stderr: '', events: ALL });
});

test('a process that is suspended keeps its messages, and sends them when it goes on', async () => {
  const journal = temporaryFolder();
  const own = await sink(503);
  const script = run(program(own.url, journal, `${STORED} await analytics.flush(); process.exit();`));
  await said(script);
  script.child.kill('SIGSTOP');
  expect(await sentByTheNext(journal)).toEqual([]);
  script.child.kill('SIGCONT');
  await script.ended;
  expect(eventsOf(own)).toEqual(ALL);
});
