import { once } from 'node:events';
import { expect, test } from 'vitest';
import { Analytics } from '../../../src/index.js';
import { serve } from '../../support/loopback.js';
import { run, type Script } from '../../support/script.js';
import { type Sink, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Starts a collector that accepts requests and never answers. */
const silent = (): Promise<string> => serve(() => {});

/** Returns a program that tracks three messages and then runs the code `rest`. */
const program = (endpoint: string, journal: string | undefined, rest: string, closeOnSignal?: boolean): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics(${JSON.stringify({ writeKey: 'key', endpoint, journal, closeOnSignal })});
  const receipts = [0, 1, 2].map((n) => analytics.track({ userId: 'u', event: 'e' + n }));
  ${rest}
`;

/** Returns the events that a client in this process sends for a program that has ended. */
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

// Without a journal, `stored` rejects at once.
const STORED = `await Promise.allSettled(receipts.map(({ stored }) => stored)); console.log('stored');`;
const FOR_EVER = 'setInterval(() => {}, 1_000);';

const LOSS = 'eventferry: lost 3 messages';

/** Ways to end, each with its exit code and whether a client without a journal can still report the loss. */
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

test.each(ENDS)('with a journal, %s loses nothing: the next process sends the messages', async (_, rest, expected) => {
  const journal = temporaryFolder();
  const { code, stderr } = await run(program(await silent(), journal, rest), LITTLE_MEMORY).ended;
  expect(code).toBe(expected);
  expect(stderr).not.toContain(LOSS);
  expect(await sentByTheNext(journal)).toEqual(ALL);
});

test.each(ENDS)('without a journal, %s loses the waiting messages', async (_, rest, expected, isTold) => {
  const { code, stderr } = await run(program(await silent(), undefined, rest), LITTLE_MEMORY).ended;
  expect(code).toBe(expected);
  expect(stderr.includes(LOSS)).toBe(isTold);
});

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGKILL'] as const;

test.each(SIGNALS)(
  'without a journal, %s loses the waiting messages, and the loss is reported except for SIGKILL',
  async (signal) => {
    const script = run(program(await silent(), undefined, `${STORED} ${FOR_EVER}`));
    await said(script);
    script.child.kill(signal);
    const { signal: endedBy, stderr } = await script.ended;
    expect({ endedBy, isTold: stderr.includes(LOSS) }).toEqual({ endedBy: signal, isTold: signal !== 'SIGKILL' });
  },
);

test.each(SIGNALS)('with a journal, %s loses no stored message', async (signal) => {
  const journal = temporaryFolder();
  const script = run(program(await silent(), journal, `${STORED} ${FOR_EVER}`));
  await said(script);
  script.child.kill(signal);
  expect((await script.ended).signal).toBe(signal);
  expect(await sentByTheNext(journal)).toEqual(ALL);
});

/** Ends a program with SIGTERM while the collector does not answer. Returns whether it reported a loss, and what is sent next. */
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

test('if the program does not listen for SIGTERM, waiting messages are lost only without a journal', async () => {
  const end = (hasJournal: boolean) => Promise.all(MODES.map((mode) => endedBySignal(mode, hasJournal, '')));
  const [without, withOne] = await Promise.all([end(false), end(true)]);
  expect(without).toEqual([true, true, false].map((isTold) => ({ endedBy: 'SIGTERM', isTold, sent: [] })));
  expect(withOne).toEqual(MODES.map(() => ({ endedBy: 'SIGTERM', isTold: false, sent: ALL })));
}, 60_000);

test.each(MODES)(
  'if the program listens for SIGTERM and exits, messages are lost only without a journal, with closeOnSignal %s',
  async (mode) => {
    const rest = "process.once('SIGTERM', () => process.exit(7));";
    expect(await endedBySignal(mode, false, rest)).toEqual({ endedBy: 7, isTold: true, sent: [] });
    expect(await endedBySignal(mode, true, rest)).toEqual({ endedBy: 7, isTold: false, sent: ALL });
  },
);

test('with a journal, a program that ends by itself delivers its messages and leaves none', async () => {
  const journal = temporaryFolder();
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, journal, '')).ended;
  expect({ code, stderr, events: eventsOf(collector) }).toEqual({ code: 0, stderr: '', events: ALL });
  expect(await sentByTheNext(journal)).toEqual([]);
});

test('with a journal, messages that a program cannot deliver in 10 s at its end stay for the next process', async () => {
  const journal = temporaryFolder();
  const { code, stderr } = await run(program('http://127.0.0.1:9', journal, '')).ended;
  expect(code).toBe(0);
  expect(stderr).not.toContain(LOSS);
  expect(await sentByTheNext(journal)).toEqual(ALL);
}, 30_000);

test.each(['SIGTERM', 'SIGINT'] as const)(
  'with a journal and closeOnSignal, a program delivers its waiting messages on %s',
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

test('without a journal, a program that ends by itself delivers its messages', async () => {
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, undefined, '')).ended;
  expect({ code, stderr, events: eventsOf(collector) }).toEqual({ code: 0, stderr: '', events: ALL });
});

test('without a journal, terminating a worker thread loses its waiting messages without a report', async () => {
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

test('with a journal, another client in the process sends the stored messages of a terminated worker thread', async () => {
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

/** Simulates a machine that wakes up: the wall clock is an hour ahead, and the monotonic clock has stood still. */
const WAKES_LATE = `
  process.on('SIGCONT', () => {
    const now = Date.now;
    Date.now = () => now() + ${HOUR_MS};
  });
`;

test.each(['with', 'without'])(
  '%s a journal, a program on a machine that was suspended for an hour sends its waiting messages',
  async (kind) => {
    const journal = kind === 'with' ? temporaryFolder() : undefined;
    const own = await sink(503);
    const rest = `${WAKES_LATE} ${STORED} await analytics.flush(); process.exit();`;
    const script = run(program(own.url, journal, rest));
    await said(script);
    script.child.kill('SIGSTOP');
    // Another process that looks in the meantime does not treat the suspended one as ended.
    if (journal !== undefined) expect(await sentByTheNext(journal)).toEqual([]);
    script.child.kill('SIGCONT');
    await script.ended;
    expect(eventsOf(own)).toEqual(ALL);
    const { batch, sentAt } = own.requests.at(-1) ?? { batch: [] };
    expect(Date.parse(String(sentAt)) - Date.parse(String(batch[0]?.timestamp))).toBeGreaterThanOrEqual(HOUR_MS);
  },
);
