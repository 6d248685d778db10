import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, serve } from '../../support/loopback.js';
import { run, type Script } from '../../support/script.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A program that lives until it is ended, with a client and three messages that wait. */
const program = (endpoint: string, rest: string, options = 'closeOnSignal: true'): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', flushAfter: 3_600_000, ${options} });
  for (let i = 0; i < 3; i++) analytics.track({ userId: 'u', event: 'e' + i });
  const life = setInterval(() => {}, 1_000);
  const stop = (signal) => new Promise((resolve) => setTimeout(resolve, 20)).then(() => {
    analytics.track({ userId: 'u', event: 'late' });
    clearInterval(life);
    return signal;
  });
  ${rest}
  console.log('ready');
`;

/** Sends a signal when the program has printed `text`. */
const killAt = ({ child }: Script, text: string, signal: NodeJS.Signals = 'SIGTERM'): void => {
  child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes(text)) child.kill(signal);
  });
};

/** A collector that takes requests and never answers. */
const silent = (onRequest: () => void = () => {}) =>
  serve((request) => {
    bytesOf(request).then(onRequest, () => {});
  });

test.each(['SIGTERM', 'SIGINT'] as const)(
  'with closeOnSignal %s delivers what waits, then ends the process',
  async (signal) => {
    const collector = await sink();
    const script = run(program(collector.url, ''));
    killAt(script, 'ready', signal);
    const { signal: endedBy, stderr } = await script.ended;
    expect({ endedBy, stderr, delivered: collector.messages.length }).toEqual({
      endedBy: signal,
      stderr: '',
      delivered: 3,
    });
  },
);

test('with closeOnSignal a second signal ends the process at once', async () => {
  const collector = await silent(() => void again());
  const script = run(program(collector, ''));
  killAt(script, 'ready');
  // Again and again, as one that comes too soon after the first is taken for its echo.
  const again = (): void => {
    if (script.child.kill('SIGTERM') && script.child.signalCode === null) setTimeout(again, 20);
  };
  const { signal, stdout } = await script.ended;
  expect({ signal, stdout }).toEqual({ signal: 'SIGTERM', stdout: 'ready\n' });
});

test('with closeOnSignal a signal that two parents pass on is one signal', async () => {
  const collector = await sink();
  const script = run(program(collector.url, "process.emit('SIGINT', 'SIGINT'); process.emit('SIGINT', 'SIGINT');"));
  const { signal, stderr } = await script.ended;
  expect({ signal, stderr, delivered: collector.messages.length }).toEqual({
    signal: 'SIGINT',
    stderr: '',
    delivered: 3,
  });
});

test('with closeOnSignal two copies of the package both deliver at a signal', async () => {
  const collector = await sink();
  const other = `
    const { createRequire } = await import('node:module');
    const copy = createRequire(process.cwd() + '/package.json')('eventferry');
    if (copy.Analytics === Analytics) throw new Error('they are one copy');
    const other = new copy.Analytics({ writeKey: 'key', endpoint: '${collector.url}', closeOnSignal: true });
    other.track({ userId: 'u', event: 'of the other' });
  `;
  const script = run(program(collector.url, other));
  killAt(script, 'ready');
  const { signal, stderr } = await script.ended;
  expect({ signal, stderr, delivered: collector.messages.length }).toEqual({
    signal: 'SIGTERM',
    stderr: '',
    delivered: 4,
  });
});

test('with closeOnSignal a signal whose other listener leaves it to others delivers what waits, then ends the process', async () => {
  const collector = await sink();
  // What the package signal-exit does.
  const deferring = `
    globalThis[Symbol.for('signal-exit emitter')] = { count: 1 };
    const defer = () => {
      if (process.listeners('SIGTERM').length > 1) return;
      process.off('SIGTERM', defer);
      console.log('deferred');
      process.kill(process.pid, 'SIGTERM');
    };
    process.on('SIGTERM', defer);
  `;
  const script = run(program(collector.url, deferring));
  killAt(script, 'ready');
  const { signal, stdout } = await script.ended;
  expect({ signal, stdout, delivered: collector.messages.length }).toEqual({
    signal: 'SIGTERM',
    stdout: 'ready\ndeferred\n',
    delivered: 3,
  });
});

test.each<[string, string, NodeJS.Signals | null]>([
  ['once, and ends', "process.once('SIGTERM', stop);", null],
  ['for good, and ends', "process.on('SIGTERM', stop);", null],
  [
    'in front of the client, and ends',
    "process.prependOnceListener('SIGTERM', () => {}); process.on('SIGTERM', stop);",
    null,
  ],
  [
    'once, and closes the client at its end',
    "process.once('SIGTERM', () => stop().then(() => analytics.close()));",
    null,
  ],
  [
    'once, and raises it again',
    "process.once('SIGTERM', (signal) => stop(signal).then(() => process.kill(process.pid, signal)));",
    'SIGTERM',
  ],
  [
    'as a framework, which takes its listener away and raises it again',
    `const heed = (signal) => stop(signal).then(() => {
      process.removeListener('SIGTERM', heed);
      process.kill(process.pid, signal);
    });
    process.on('SIGTERM', heed);`,
    'SIGTERM',
  ],
])(
  'with closeOnSignal a program that listens for the signal %s: what it tracks until then is delivered',
  async (_, rest, endedBy) => {
    const collector = await sink();
    const script = run(program(collector.url, rest));
    killAt(script, 'ready');
    const { signal, stderr } = await script.ended;
    expect({ signal, stderr }).toEqual({ signal: endedBy, stderr: '' });
    expect(collector.messages.map((message) => 'event' in message && message.event)).toEqual([
      'e0',
      'e1',
      'e2',
      'late',
    ]);
  },
);

test('with closeOnSignal a message that comes after a signal is sent at once', async () => {
  const collector = await sink();
  const rest = `
    process.on('SIGTERM', async () => {
      await analytics.track({ userId: 'u', event: 'late' }).delivered;
      console.log('delivered');
      clearInterval(life);
    });
  `;
  const script = run(program(collector.url, rest));
  killAt(script, 'ready');
  const { code, stdout } = await script.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ready\ndelivered\n' });
});

test('with closeOnSignal a signal does not end a program whose listener goes on', async () => {
  const collector = await sink();
  const rest = `
    process.on('SIGTERM', () => console.log('noted'));
    process.stdin.once('data', () => console.log('still here') ?? process.exit(0));
  `;
  const script = run(program(collector.url, rest));
  killAt(script, 'ready');
  script.child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes('noted')) script.child.stdin?.write('x');
  });
  const { code, stdout } = await script.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ready\nnoted\nstill here\n' });
});

test('with closeOnSignal messages are lost and reported where a listener ends the process before the client is closed', async () => {
  const script = run(program(await silent(), "process.once('SIGTERM', () => process.exit(0));"));
  killAt(script, 'ready');
  const { code, stderr } = await script.ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(/^eventferry: lost 3 messages: Not delivered: it still waited when the process ended/);
});

test('closeOnSignal in a worker thread is refused before a journal is opened, and the error says what to do', async () => {
  const journal = join(temporaryFolder(), 'journal');
  const options = JSON.stringify({ writeKey: 'key', endpoint: 'http://127.0.0.1:1', journal, closeOnSignal: true });
  const worker = `
    const { parentPort } = await import('node:worker_threads');
    const { Analytics } = await import('eventferry');
    try {
      new Analytics(${options});
      parentPort.postMessage('taken');
    } catch ({ code, message }) {
      parentPort.postMessage(code + ' ' + message);
    }
  `;
  const { stdout, stderr } = await run(`
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(${JSON.stringify(`(async () => {${worker}})();`)}, { eval: true });
    worker.on('message', (text) => console.log(text));
  `).ended;
  expect({ stdout, stderr, isOpened: existsSync(journal) }).toEqual({
    stdout:
      'EVENTFERRY_INVALID_OPTION Expected `closeOnSignal` to be left out in a worker thread, got true. Signals reach the main thread alone: let it post a message to the worker, and call `close()` when that message comes\n',
    stderr: '',
    isOpened: false,
  });
});

test('with closeOnSignal a signal says what was lost before it ends the process', async () => {
  const collector = await sink(401);
  const script = run(program(collector.url, ''));
  killAt(script, 'ready');
  const { signal, stderr } = await script.ended;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toMatch(/^eventferry: lost 3 messages: The collector refused the message with status 401[^\n]*\n$/);
});

test('with closeOnSignal a second signal says what is lost, also by clients that do not close', async () => {
  const other = `
    const other = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1' });
    other.track({ userId: 'u', event: 'of the other' });
  `;
  const script = run(program(await silent(() => void again()), other));
  killAt(script, 'ready');
  const again = (): void => {
    if (script.child.kill('SIGTERM') && script.child.signalCode === null) setTimeout(again, 20);
  };
  const { signal, stderr } = await script.ended;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toMatch(
    /^eventferry: lost 4 messages: Not delivered: it still waited when the process ended[^\n]*\n$/m,
  );
});

test('without closeOnSignal a signal ends the process as the system does', async () => {
  const collector = await sink();
  const script = run(program(collector.url, '', ''));
  killAt(script, 'ready');
  expect((await script.ended).signal).toBe('SIGTERM');
  expect(collector.messages).toEqual([]);
});
