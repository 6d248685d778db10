import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bytesOf, serve } from '../../support/loopback.js';
import { lacksNamespaces, run, runAsProcess1, type Script } from '../../support/script.js';
import { sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A program that stays alive, with a client and three waiting messages. */
const program = (endpoint: string, rest: string, options = ''): string => `
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
  setImmediate(() => console.log('ready'));
`;

/** Sends a signal when the program has printed `text`. */
const killAt = ({ child }: Script, text: string, signal: NodeJS.Signals = 'SIGTERM'): void => {
  child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes(text)) child.kill(signal);
  });
};

/** A collector that accepts requests and never responds. */
const silent = (onRequest: () => void = () => {}) =>
  serve((request) => {
    bytesOf(request).then(onRequest, () => {});
  });

/** The two ways to act on a signal: the default, and the option. */
const MODES = ['', 'closeOnSignal: true'];
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const each = SIGNALS.flatMap((signal) => MODES.map((options) => [signal, options] as const));

test.each(each)(
  'on %s a client delivers the waiting messages, and then the process ends: %s',
  async (signal, options) => {
    const collector = await sink();
    const script = run(program(collector.url, '', options));
    killAt(script, 'ready', signal);
    const { signal: endedBy, stderr } = await script.ended;
    expect({ endedBy, stderr, delivered: collector.messages.length }).toEqual({
      endedBy: signal,
      stderr: '',
      delivered: 3,
    });
  },
);

/**
 * Ways in which a program tracks a message in the same turn in which it gets a signal. The signal is already sent when `kill`
 * returns.
 */
const TURNS = [
  ['of the first message', ''],
  ['after a pause in which the client stopped listening', 'await analytics.flush(); await idle(); track();'],
  ['of a long loop of calls', 'for (let i = 0; i < 1_000; i++) track();'],
  [
    'in which the client would stop listening, with nothing left to deliver',
    `await analytics.flush();
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);`,
  ],
] as const;

test.each(TURNS.flatMap(([name, rest]) => MODES.map((options) => [name, options, rest] as const)))(
  'a signal in the turn %s ends the process when all messages are delivered: %s',
  async (_, options, rest) => {
    const collector = await sink();
    const script = run(`
      import { Analytics } from 'eventferry';
      const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', flushAfter: 3_600_000, ${options} });
      const track = () => analytics.track({ userId: 'u', event: 'e' });
      const idle = async () => {
        for (let i = 0; i < 300 && process.listenerCount('SIGTERM') > 0; i++) await new Promise((r) => setTimeout(r, 10));
      };
      track();
      ${rest}
      const { accepted } = analytics.stats();
      process.kill(process.pid, 'SIGTERM');
      setTimeout(() => process.exit(1), 5_000);
      process.stdout.write(String(accepted));
    `);
    const { signal, stdout, stderr } = await script.ended;
    expect({ signal, stdout, stderr }).toEqual({
      signal: 'SIGTERM',
      stdout: String(collector.messages.length),
      stderr: '',
    });
  },
);

test.each(MODES)('a second signal ends the process at once: %s', async (options) => {
  const collector = await silent(() => void again());
  const script = run(program(collector, '', options));
  killAt(script, 'ready');
  // Repeatedly, because a signal that comes too soon after the first counts as its echo.
  const again = (): void => {
    if (script.child.kill('SIGTERM') && script.child.signalCode === null) setTimeout(again, 20);
  };
  const { signal, stdout } = await script.ended;
  expect({ signal, stdout }).toEqual({ signal: 'SIGTERM', stdout: 'ready\n' });
});

/** Timers and a clock that a test has replaced and never advances. The original ones run a hundred times as fast. */
const FROZEN = `
  const { setTimeout: real } = globalThis;
  globalThis.setTimeout = (act, ms) => real(act, ms / 100);
  const { Analytics } = await import('eventferry');
  globalThis.setTimeout = () => ({ ref() {}, unref() {} });
  performance.now = () => 0;
`;

test.each(MODES)('a signal ends a program whose timers a test has replaced: %s', async (options) => {
  const source = program(await silent(), '', options);
  const script = run(source.replace("import { Analytics } from 'eventferry';", FROZEN));
  killAt(script, 'ready');
  const { signal, stderr } = await script.ended;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toMatch(/^eventferry: lost 3 messages: /);
});

test.each(MODES)('a signal that two parents pass on counts as one: %s', async (options) => {
  const collector = await sink();
  const script = run(
    program(
      collector.url,
      "setImmediate(() => ['SIGINT', 'SIGTERM'].map((signal) => process.emit(signal, signal)));",
      options,
    ),
  );
  const { signal, stderr } = await script.ended;
  expect({ signal, stderr, delivered: collector.messages.length }).toEqual({
    signal: 'SIGINT',
    stderr: '',
    delivered: 3,
  });
});

/**
 * The second copy of the package in a program: the CommonJS build beside the ES module, or one of a test file in the same
 * process.
 */
const COPIES = {
  'the CommonJS build': "const copy = require('eventferry');",
  'the CommonJS build with globals of its own': `
    const { readFileSync } = await import('node:fs');
    const vm = await import('node:vm');
    const timers = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, queueMicrotask, performance };
    const own = { ...timers, process, Buffer, URL, TextDecoder, TextEncoder, AbortController, AbortSignal, require };
    own.module = { exports: {} };
    vm.runInNewContext(readFileSync(require.resolve('eventferry'), 'utf8'), own);
    const copy = own.module.exports;
  `,
};
const copies = Object.entries(COPIES).flatMap(([name, copy]) => MODES.map((options) => [name, options, copy] as const));

test.each(copies)('%s and the ES module both deliver on a signal, with one listener: %s', async (_, options, copy) => {
  const collector = await sink();
  const other = `
    const { createRequire } = await import('node:module');
    const require = createRequire(process.cwd() + '/package.json');
    ${copy}
    if (copy.Analytics === Analytics) throw new Error('they are one copy');
    const other = new copy.Analytics({ writeKey: 'key', endpoint: '${collector.url}', ${options} });
    other.track({ userId: 'u', event: 'of the other' });
    setImmediate(() => console.log(process.listenerCount('SIGTERM')));
  `;
  const script = run(program(collector.url, other, options));
  killAt(script, 'ready');
  const { signal, stdout, stderr } = await script.ended;
  expect({ signal, stdout, stderr, delivered: collector.messages.length }).toEqual({
    signal: 'SIGTERM',
    stdout: '1\nready\n',
    stderr: '',
    delivered: 4,
  });
});

test.each(MODES)(
  'a signal whose other listener defers to others delivers the waiting messages and then ends the process: %s',
  async (options) => {
    const collector = await sink();
    // This is what the package signal-exit does.
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
    const script = run(program(collector.url, deferring, options));
    killAt(script, 'ready');
    const { signal, stdout } = await script.ended;
    expect({ signal, stdout, delivered: collector.messages.length }).toEqual({
      signal: 'SIGTERM',
      stdout: 'ready\ndeferred\n',
      delivered: 3,
    });
  },
);

const LISTENERS: readonly [string, string, NodeJS.Signals | null][] = [
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
];

test.each(MODES.flatMap((options) => LISTENERS.map(([name, ...more]) => [name, options, ...more] as const)))(
  'if a program listens for the signal %s, what it tracks until its end is delivered: %s',
  async (_, options, rest, endedBy) => {
    const collector = await sink();
    const script = run(program(collector.url, rest, options));
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

test.each(MODES)('a message that is tracked after a signal is sent at once: %s', async (options) => {
  const collector = await sink();
  const rest = `
    process.on('SIGTERM', async () => {
      await analytics.track({ userId: 'u', event: 'late' }).delivered;
      console.log('delivered');
      clearInterval(life);
    });
  `;
  const script = run(program(collector.url, rest, options));
  killAt(script, 'ready');
  const { code, stdout } = await script.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ready\ndelivered\n' });
});

test.each(MODES)('a signal does not end a program whose listener continues: %s', async (options) => {
  const collector = await sink();
  const rest = `
    process.on('SIGTERM', () => console.log('noted'));
    process.stdin.once('data', () => console.log('still here') ?? process.exit(0));
  `;
  const script = run(program(collector.url, rest, options));
  killAt(script, 'ready');
  script.child.stdout?.on('data', (chunk) => {
    if (String(chunk).includes('noted')) script.child.stdin?.write('x');
  });
  const { code, stdout } = await script.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'ready\nnoted\nstill here\n' });
});

test.each(MODES)(
  'if a listener ends the process before the messages are delivered, they are lost and reported: %s',
  async (options) => {
    const script = run(program(await silent(), "process.once('SIGTERM', () => process.exit(0));", options));
    killAt(script, 'ready');
    const { code, stderr } = await script.ended;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^eventferry: lost 3 messages: Not delivered: it still waited when the process ended/);
  },
);

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
      'EVENTFERRY_INVALID_OPTION Expected `closeOnSignal` to be left out in a worker thread, got true. Only the main thread gets signals: let it post a message to the worker, and call `close()` when that message arrives\n',
    stderr: '',
    isOpened: false,
  });
});

test.each(MODES)('on a signal, losses are reported before the process ends: %s', async (options) => {
  const collector = await sink(401);
  const script = run(program(collector.url, '', options));
  killAt(script, 'ready');
  const { signal, stderr } = await script.ended;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toMatch(/^eventferry: lost 3 messages: The collector refused the message with status 401[^\n]*\n$/);
});

test.each(MODES)(
  'a second signal reports the losses, including those of clients that do not act on signals: %s',
  async (options) => {
    const other = `
    const other = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1', closeOnSignal: false });
    other.track({ userId: 'u', event: 'of the other' });
  `;
    const script = run(program(await silent(() => void again()), other, options));
    killAt(script, 'ready');
    const again = (): void => {
      if (script.child.kill('SIGTERM') && script.child.signalCode === null) setTimeout(again, 20);
    };
    const { signal, stderr } = await script.ended;
    expect(signal).toBe('SIGTERM');
    expect(stderr).toMatch(
      /^eventferry: lost 4 messages: Not delivered: it still waited when the process ended[^\n]*\n$/m,
    );
  },
);

test('with closeOnSignal: false, a signal ends the process as the system does', async () => {
  const collector = await sink();
  const script = run(program(collector.url, '', 'closeOnSignal: false'));
  killAt(script, 'ready');
  expect(await script.ended).toMatchObject({ signal: 'SIGTERM', stderr: '' });
  expect(collector.messages).toEqual([]);
});

test('by default a signal waits two seconds for a collector that does not respond, and one line reports the losses', async () => {
  const script = run(program(await silent(), ''));
  const startedAt = performance.now();
  killAt(script, 'ready');
  const { signal, stderr } = await script.ended;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toMatch(
    /^eventferry: lost 3 messages: Not delivered: it still waited when the process ended[^\n]*\n$/,
  );
  expect(performance.now() - startedAt).toBeGreaterThan(2_000);
});

test('by default losses on a signal are reported to a `lost` listener instead of standard error', async () => {
  const script = run(program(await silent(), "analytics.on('lost', ({ message }) => console.log(message.event));"));
  killAt(script, 'ready');
  expect(await script.ended).toMatchObject({ signal: 'SIGTERM', stdout: 'ready\ne0\ne1\ne2\n', stderr: '' });
});

test('by default calls are accepted while a signal waits, and their messages are delivered too', async () => {
  const collector = await sink();
  const rest = `
    analytics.on('flush', () => {
      if (analytics.stats().accepted < 8) analytics.track({ userId: 'u', event: 'late' });
    });
  `;
  const script = run(program(collector.url, rest));
  killAt(script, 'ready');
  expect(await script.ended).toMatchObject({ signal: 'SIGTERM', stderr: '' });
  expect(collector.messages).toHaveLength(8);
});

test
  .skipIf(lacksNamespaces)
  .each(
    SIGNALS.flatMap((signal) => MODES.map((options) => [signal, options, signal === 'SIGINT' ? 130 : 143] as const)),
  )(
  'in process 1 of a container, a client delivers its messages on %s, and the process ends with the usual exit code: %s',
  async (signal, options, code) => {
    const collector = await sink();
    const rest = `setImmediate(() => process.kill(process.pid, '${signal}'));`;
    const script = runAsProcess1(program(collector.url, rest, options));
    expect(await script.ended).toEqual({ code, signal: null, stdout: 'ready\n', stderr: '' });
    expect(collector.messages).toHaveLength(3);
  },
);

test.skipIf(lacksNamespaces)(
  'in process 1 of a container, a program with its own listener decides when it ends',
  async () => {
    const collector = await sink();
    const rest = "process.once('SIGTERM', stop); setImmediate(() => process.kill(process.pid, 'SIGTERM'));";
    const script = runAsProcess1(program(collector.url, rest));
    expect(await script.ended).toMatchObject({ code: 0, stderr: '' });
    expect(collector.messages).toHaveLength(4);
  },
);

/** Prints the numbers of listeners for SIGTERM and SIGINT. */
const COUNT = "console.log(process.listenerCount('SIGTERM'), process.listenerCount('SIGINT'));";

test.each([
  ['', '0 0', '1 1', '0 0'],
  ['closeOnSignal: true', '1 1', '1 1', '0 0'],
  ['closeOnSignal: false', '0 0', '0 0', '0 0'],
])('a process listens for signals while messages wait, or always, or never: %s', async (options, ...counts) => {
  const collector = await sink();
  const { stdout, stderr } = await run(`
    import { Analytics } from 'eventferry';
    const clients = [0, 1, 2].map(() => new Analytics({ writeKey: 'key', endpoint: '${collector.url}', ${options} }));
    await null;
    ${COUNT}
    const receipts = clients.map((client) => client.track({ userId: 'u', event: 'e' }));
    await null;
    ${COUNT}
    await Promise.all(clients.map((client) => client.close()));
    while (process.listenerCount('SIGTERM') > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    ${COUNT}
  `).ended;
  expect({ stdout, stderr }).toEqual({ stdout: `${counts.join('\n')}\n`, stderr: '' });
});

test('by default a client that is idle for some seconds does not listen for signals, and listens again for the next message', async () => {
  const collector = await sink();
  const { stdout } = await run(`
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}' });
    for (let i = 0; i < 2; i++) {
      analytics.track({ userId: 'u', event: 'e' });
      await null;
      ${COUNT}
      await analytics.flush();
      ${COUNT}
      while (process.listenerCount('SIGTERM') > 0) await new Promise((resolve) => setTimeout(resolve, 50));
      ${COUNT}
    }
  `).ended;
  expect(stdout).toBe('1 1\n1 1\n0 0\n'.repeat(2));
});

test('the listener of a client does not cause a warning about too many listeners', async () => {
  const rest = "for (let i = 0; i < 10; i++) process.on('SIGTERM', () => process.exit(i));";
  const script = run(program('http://127.0.0.1:1', rest, 'warnings: false'));
  killAt(script, 'ready');
  expect(await script.ended).toMatchObject({ code: 0, stderr: '' });
});

test('by default a client in a worker thread adds no listener', async () => {
  const collector = await sink();
  const worker = `
    const { parentPort } = await import('node:worker_threads');
    const { Analytics } = await import('eventferry');
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}' });
    analytics.track({ userId: 'u', event: 'e' });
    await null;
    parentPort.postMessage(process.listenerCount('SIGTERM'));
  `;
  const { stdout, stderr } = await run(`
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(${JSON.stringify(`(async () => {${worker}})();`)}, { eval: true });
    worker.on('message', (count) => console.log(count));
  `).ended;
  expect({ stdout, stderr, delivered: collector.messages.length }).toEqual({ stdout: '0\n', stderr: '', delivered: 1 });
});

test('a client of a test does not act on signals', async () => {
  const { stdout } = await run(`
    import { captureAnalytics } from 'eventferry/testing';
    const { analytics } = captureAnalytics();
    analytics.track({ userId: 'u', event: 'e' });
    await null;
    ${COUNT}
  `).ended;
  expect(stdout).toBe('0 0\n');
});

test('a second copy of the package reports its losses, even if the first copy was already listening for the signal', async () => {
  const collector = await silent();
  const script = run(`
    import { createRequire } from 'node:module';
    import { Analytics } from 'eventferry';
    const { Analytics: Second } = createRequire(import.meta.url)('eventferry');
    const options = { writeKey: 'key', endpoint: '${collector}', flushAfter: 3_600_000 };
    const [first, second] = [new Analytics(options), new Second(options)];
    setInterval(() => {}, 1_000);
    first.track({ userId: 'u', event: 'e' });
    setTimeout(() => {
      for (let i = 0; i < 2; i++) second.track({ userId: 'u', event: 'e' });
      console.log('ready');
    }, 50);
  `);
  killAt(script, 'ready');
  const { signal, stderr } = await script.ended;
  expect(signal).toBe('SIGTERM');
  expect(stderr).toContain('lost 1 message');
  expect(stderr).toContain('lost 2 messages');
});
