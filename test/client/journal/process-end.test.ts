import { once } from 'node:events';
import { expect, test } from 'vitest';
import { Analytics } from '../../../src/index.js';
import { serve } from '../../support/loopback.js';
import { run, type Script } from '../../support/script.js';
import { type Sink, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A collector that takes requests and never answers. */
const silent = (): Promise<string> => serve(() => {});

/** A program that tracks three messages and then does something. */
const program = (endpoint: string, journal: string | undefined, rest: string, closeOnSignal?: boolean): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics(${JSON.stringify({ writeKey: 'key', endpoint, journal, closeOnSignal })});
  const receipts = [0, 1, 2].map((n) => analytics.track({ userId: 'u', event: 'e' + n }));
  ${rest}
`;

/** The events that the process of this test, which comes later, sends for a program that has ended. */
async function sentByTheNext(journal: string): Promise<string[]> {
  const collector = await sink();
  const analytics = new Analytics({ writeKey: 'key', endpoint: collector.url, journal });
  expect(await analytics.close()).toMatchObject({ lost: 0, pending: 0 });
  return eventsOf(collector);
}

const eventsOf = ({ messages }: Sink): string[] => messages.map((message) => (message as { event: string }).event);

const ALL = ['e0', 'e1', 'e2'];

/** Resolves once the program has written a line. */
const said = ({ child }: Script): Promise<unknown> => once(child.stdout as NodeJS.ReadableStream, 'data');

// Without a journal nothing is stored, and `stored` says so at once.
const STORED = `await Promise.allSettled(receipts.map(({ stored }) => stored)); console.log('stored');`;
const FOR_EVER = 'setInterval(() => {}, 1_000);';

const LOSS = 'eventferry: lost 3 messages';

/** An end, its exit code, and whether a client without a journal can still say what is lost. */
const ENDS = [
  ['process.exit() right after the calls', 'process.exit(7);', 7, true],
  ['an exception that is not caught', "throw new Error('boom');", 1, true],
  ['a rejection that is not handled', "Promise.reject(new Error('boom'));", 1, true],
  ['a close() that runs out of time', 'await analytics.close({ timeout: 1 });', 0, true],
  ['process.abort()', `${STORED} process.abort();`, null, false],
  [
    'running out of memory',
    `${STORED} const all = []; for (;;) all.push(new Array(1e6).fill(all.length));`,
    null,
    false,
  ],
] as const;

const LITTLE_MEMORY = { NODE_OPTIONS: '--max-old-space-size=64' };

test.each(ENDS)('with a journal, nothing is lost by %s: the next process sends it', async (_, rest, expected) => {
  const journal = temporaryFolder();
  const { code, stderr } = await run(program(await silent(), journal, rest), LITTLE_MEMORY).ended;
  expect(code).toBe(expected);
  expect(stderr).not.toContain(LOSS);
  expect(await sentByTheNext(journal)).toEqual(ALL);
});

test.each(ENDS)('without a journal, what waits is lost by %s', async (_, rest, expected, isTold) => {
  const { code, stderr } = await run(program(await silent(), undefined, rest), LITTLE_MEMORY).ended;
  expect(code).toBe(expected);
  expect(stderr.includes(LOSS)).toBe(isTold);
});

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGKILL'] as const;

test.each(SIGNALS)(
  'without a journal, what waits is lost by %s, which only SIGKILL does without a word',
  async (signal) => {
    const script = run(program(await silent(), undefined, `${STORED} ${FOR_EVER}`));
    await said(script);
    script.child.kill(signal);
    const { signal: endedBy, stderr } = await script.ended;
    expect({ endedBy, isTold: stderr.includes(LOSS) }).toEqual({ endedBy: signal, isTold: signal !== 'SIGKILL' });
  },
);

test.each(SIGNALS)('with a journal, nothing that was stored is lost by %s', async (signal) => {
  const journal = temporaryFolder();
  const script = run(program(await silent(), journal, `${STORED} ${FOR_EVER}`));
  await said(script);
  script.child.kill(signal);
  expect((await script.ended).signal).toBe(signal);
  expect(await sentByTheNext(journal)).toEqual(ALL);
});

/** Ends a program by SIGTERM while the collector does not answer. Returns whether it told a loss, and what the next process sends. */
async function endedBySignal(closeOnSignal: boolean | undefined, hasJournal: boolean, rest: string) {
  const journal = hasJournal ? temporaryFolder() : undefined;
  const script = run(program(await silent(), journal, `${rest} ${STORED} ${FOR_EVER}`, closeOnSignal));
  await said(script);
  script.child.kill('SIGTERM');
  const { code, signal, stderr } = await script.ended;
  const sent = journal === undefined ? [] : await sentByTheNext(journal);
  return { endedBy: signal ?? code, isTold: stderr.includes(LOSS), sent };
}

const MODES = [undefined, true, false];

test('what SIGTERM loses when nothing else listens, by closeOnSignal and with and without a journal', async () => {
  const without = await Promise.all(MODES.map((mode) => endedBySignal(mode, false, '')));
  expect(without).toEqual([true, true, false].map((isTold) => ({ endedBy: 'SIGTERM', isTold, sent: [] })));
  const withOne = await Promise.all(MODES.map((mode) => endedBySignal(mode, true, '')));
  expect(withOne).toEqual(MODES.map(() => ({ endedBy: 'SIGTERM', isTold: false, sent: ALL })));
}, 60_000);

test.each(MODES)(
  'what SIGTERM loses when the program listens is what its own end loses, with closeOnSignal %s',
  async (mode) => {
    const rest = "process.once('SIGTERM', () => process.exit(7));";
    expect(await endedBySignal(mode, false, rest)).toEqual({ endedBy: 7, isTold: true, sent: [] });
    expect(await endedBySignal(mode, true, rest)).toEqual({ endedBy: 7, isTold: false, sent: ALL });
  },
);

test('with a journal, a program that ends by itself delivers, and leaves nothing to send', async () => {
  const journal = temporaryFolder();
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, journal, '')).ended;
  expect({ code, stderr, events: eventsOf(collector) }).toEqual({ code: 0, stderr: '', events: ALL });
  expect(await sentByTheNext(journal)).toEqual([]);
});

test('with a journal, what a program that ends by itself cannot deliver in 10 s stays for the next process', async () => {
  const journal = temporaryFolder();
  const { code, stderr } = await run(program('http://127.0.0.1:9', journal, '')).ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(LOSS);
  expect(await sentByTheNext(journal)).toEqual(ALL);
}, 30_000);

test.each(['SIGTERM', 'SIGINT'] as const)(
  'with a journal and closeOnSignal, %s delivers what waits',
  async (signal) => {
    const journal = temporaryFolder();
    const collector = await sink();
    const options = JSON.stringify({ writeKey: 'key', endpoint: collector.url, journal, closeOnSignal: true });
    const script = run(`
    import { Analytics } from 'eventferry';
    const analytics = new Analytics(${options});
    for (const n of [0, 1, 2]) analytics.track({ userId: 'u', event: 'e' + n });
    console.log('tracked');
    ${FOR_EVER}
  `);
    await said(script);
    script.child.kill(signal);
    expect((await script.ended).signal).toBe(signal);
    expect(eventsOf(collector)).toEqual(ALL);
    expect(await sentByTheNext(journal)).toEqual([]);
  },
);

test('without a journal, a program that ends by itself delivers', async () => {
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, undefined, '')).ended;
  expect({ code, stderr, events: eventsOf(collector) }).toEqual({ code: 0, stderr: '', events: ALL });
});

test('without a journal, what waits in a worker thread that is terminated is lost without a word', async () => {
  const tell = "(await import('node:worker_threads')).parentPort.postMessage('stored');";
  const worker = JSON.stringify(program(await silent(), undefined, `${STORED} ${tell}`));
  const { code, stderr } = await run(`
    import { Worker } from 'node:worker_threads';
    import { once } from 'node:events';
    const worker = new Worker(${worker}, { eval: true });
    await once(worker, 'message');
    await worker.terminate();
  `).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('with a journal, what a worker thread that is terminated had stored is sent by a client of the same process', async () => {
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

const HOUR_MS = 60 * 60_000;

/** As on a machine that wakes up: the clock on the wall is an hour ahead, and the one that counts on has stood still. */
const WAKES_LATE = `
  process.on('SIGCONT', () => {
    const now = Date.now;
    Date.now = () => now() + ${HOUR_MS};
  });
`;

test.each(['with', 'without'])(
  '%s a journal, a machine that was suspended for an hour sends what waited',
  async (kind) => {
    const journal = kind === 'with' ? temporaryFolder() : undefined;
    const own = await sink(503);
    const rest = `${WAKES_LATE} ${STORED} await analytics.flush(); process.exit();`;
    const script = run(program(own.url, journal, rest));
    await said(script);
    script.child.kill('SIGSTOP');
    // Another process that looks meanwhile does not take the suspended one for dead.
    if (journal !== undefined) expect(await sentByTheNext(journal)).toEqual([]);
    script.child.kill('SIGCONT');
    await script.ended;
    expect(eventsOf(own)).toEqual(ALL);
    const { batch, sentAt } = own.requests.at(-1) ?? { batch: [] };
    expect(Date.parse(String(sentAt)) - Date.parse(String(batch[0]?.timestamp))).toBeGreaterThanOrEqual(HOUR_MS);
  },
);
