import { expect, test } from 'vitest';
import { bytesOf, serve } from '../../support/loopback.js';
import { run } from '../../support/script.js';
import { sink } from '../../support/sink.js';

/** A program with a client and three waiting messages. */
const program = (endpoint: string, options: string, rest: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', ${options} });
  for (let i = 0; i < 3; i++) analytics.track({ userId: 'u', event: 'e' + i });
  ${rest}
`;

/** A collector that accepts requests and never responds. Calls back at the first one. */
const silent = (onRequest: () => void) =>
  serve((request) => {
    bytesOf(request).then(onRequest, () => {});
  });

test('a program that ends by itself delivers its waiting messages without waiting for flushAfter', async () => {
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, 'flushAfter: 3_600_000', '')).ended;
  expect({ code, stderr, delivered: collector.messages.length }).toEqual({ code: 0, stderr: '', delivered: 3 });
});

test('a program that ends by itself delivers to a collector that was down for a moment', async () => {
  const collector = await sink(503);
  const { code, stderr } = await run(program(collector.url, '', '')).ended;
  expect({ code, delivered: collector.messages.length }).toEqual({ code: 0, delivered: 3 });
  // This was the first attempt of a client that has never delivered anything.
  expect(stderr.match(/EventferryWarning: .*/g)).toEqual([expect.stringContaining('The collector answered 503')]);
});

test('a program that ends by itself delivers for several clients, and for messages that are tracked at its end', async () => {
  const collector = await sink();
  const rest = `
    const other = new Analytics({ writeKey: 'key', endpoint: '${collector.url}' });
    other.track({ userId: 'u', event: 'other' });
    process.once('beforeExit', () => analytics.track({ userId: 'u', event: 'at the end' }));
  `;
  const { code, stderr } = await run(program(collector.url, '', rest)).ended;
  expect({ code, stderr, delivered: collector.messages.length }).toEqual({ code: 0, stderr: '', delivered: 5 });
});

test('a program that ends by itself ends at once if there is nothing to deliver', async () => {
  const { code, stdout } = await run(`
    import { Analytics } from 'eventferry';
    new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1', flushAfter: 3_600_000 });
    console.log('end');
  `).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'end\n' });
});

test('a program with `await using` closes its client at the end of the block', async () => {
  const collector = await sink();
  const { stdout } = await run(
    program(collector.url, '', 'await analytics[Symbol.asyncDispose](); console.log(analytics.stats().delivered);'),
  ).ended;
  expect(stdout).toBe('3\n');
});

const lossOfThree =
  /^eventferry: lost 3 messages: Not delivered: it still waited when the process ended \(EVENTFERRY_ABORTED\)\n/;

test('a program that calls process.exit reports the losses', async () => {
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, '', 'process.exit(7);')).ended;
  expect(code).toBe(7);
  expect(stderr).toMatch(lossOfThree);
  expect(collector.messages).toEqual([]);
});

test('a program that ends by an uncaught exception reports the losses', async () => {
  const collector = await sink();
  const { code, stderr } = await run(program(collector.url, '', "throw new Error('uncaught');")).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('Error: uncaught');
  expect(stderr).toMatch(new RegExp(lossOfThree.source, 'm'));
});

test('a program that is ended during a request reports the losses', async () => {
  const { child, ended } = run(
    program(await silent(() => child.kill('SIGTERM')), 'flushAt: 1', "process.on('SIGTERM', () => process.exit(0));"),
  );
  const { code, stderr } = await ended;
  expect(code).toBe(0);
  expect(stderr).toMatch(lossOfThree);
});

test('a program that is ended reports losses to a `lost` listener instead of standard error', async () => {
  const rest = "analytics.on('lost', ({ message, error }) => console.log(message.event, error.code)); process.exit(0);";
  const { stdout, stderr } = await run(program('http://127.0.0.1:1', '', rest)).ended;
  expect(stdout).toBe('e0 EVENTFERRY_ABORTED\ne1 EVENTFERRY_ABORTED\ne2 EVENTFERRY_ABORTED\n');
  expect(stderr).toBe('');
});

const counting = (options: string, rest: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1', ${options} });
  ${rest}
  process.on('exit', () => {
    analytics.track({ userId: 'u', event: 'at the end' });
    console.log(analytics.stats().lost, analytics.stats().pending);
  });
`;
const lossOfOne = /^eventferry: lost 1 message: Not delivered: it still waited when the process ended/;

test('a first message that the program tracks in an exit listener is lost and reported', async () => {
  const { code, stdout, stderr } = await run(counting('', '')).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 0\n' });
  expect(stderr).toMatch(lossOfOne);
});

test('a message that the program tracks in an exit listener after others were delivered is lost and reported', async () => {
  const rest = "analytics.track({ userId: 'u', event: 'before' });";
  const { code, stdout, stderr } = await run(counting('transport: async () => ({ status: 200 })', rest)).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 0\n' });
  expect(stderr).toMatch(lossOfOne);
});

test('messages that exit listeners track because of a loss are lost and reported, and the process ends', async () => {
  const rest = "analytics.on('lost', () => analytics.track({ userId: 'u', event: 'a loss' }));";
  const { code, stdout, stderr } = await run(counting('', rest)).ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '2 0\n' });
  expect(stderr).toMatch(lossOfOne);
  expect(stderr.match(/lost/g)).toHaveLength(1);
});

const rounds = (url: string, options: string, most: number) => `
  import { Analytics } from 'eventferry';
  let rounds = 0;
  const onBeforeExit = () => {
    if (rounds++ < ${most}) analytics.track({ userId: 'u', event: 'round ' + rounds });
  };
  ${'BEFORE'}
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${url}', flushAfter: 3_600_000, ${options} });
  ${'AFTER'}
  process.on('exit', () => console.log(JSON.stringify(analytics.stats())));
`;
const listen = "process.on('beforeExit', onBeforeExit);";
const before = (source: string): string => source.replace('BEFORE', listen).replace('AFTER', '');
const after = (source: string): string => source.replace('BEFORE', '').replace('AFTER', listen);
const late = (source: string): string =>
  source
    .replace('BEFORE', '')
    .replace(
      'AFTER',
      "process.on('beforeExit', async () => { for (let i = 0; i < 5; i++) await null; onBeforeExit(); });",
    );

const places: [string, (source: string) => string][] = [
  ['added before the client', before],
  ['added after the client', after],
  ['that awaits first', late],
];

test.each(places)('a message that a beforeExit listener %s tracks is delivered', async (_, place) => {
  const collector = await sink();
  const { code, stderr } = await run(place(rounds(collector.url, '', 1))).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(collector.messages).toMatchObject([{ event: 'round 1' }]);
});

test.each(places)(
  'messages that a beforeExit listener %s tracks in each of several rounds are delivered',
  async (_, place) => {
    const collector = await sink();
    const { code, stderr } = await run(place(rounds(collector.url, '', 5))).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(collector.messages).toHaveLength(5);
  },
);

test.each(places.flatMap(([name, place]) => ['', 'flushAt: 1'].map((options) => [name, options, place] as const)))(
  'if a beforeExit listener %s tracks a message in every round, ten are delivered and the next is lost, so that the program ends: %s',
  async (_, options, place) => {
    const collector = await sink();
    const { code, stdout, stderr } = await run(place(rounds(collector.url, options, Number.MAX_SAFE_INTEGER))).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: 11, delivered: 10, lost: 1, pending: 0 });
    expect(stderr).toMatch(/^eventferry: lost 1 message: Not delivered: it still waited when the process ended/);
  },
);

test('messages of beforeExit listeners are delivered in any number of rounds if the program keeps working in between', async () => {
  const collector = await sink();
  const source = `
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', flushAfter: 3_600_000 });
    let rounds = 0;
    process.on('beforeExit', () => {
      if (rounds++ < 25) setTimeout(() => analytics.track({ userId: 'u', event: 'work' }), 1);
    });
  `;
  const { code, stderr } = await run(source).ended;
  expect({ code, stderr, delivered: collector.messages.length }).toEqual({ code: 0, stderr: '', delivered: 25 });
});

test('if standard error cannot be written, the exit code stays the same and other exit listeners still run', async () => {
  const rest = `
    fs.writeSync = () => {
      throw Object.assign(new Error('EPIPE: broken pipe, write'), { code: 'EPIPE' });
    };
    syncBuiltinESMExports();
    const other = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1' });
    other.on('lost', ({ message }) => console.log('lost', message.event));
    other.track({ userId: 'u', event: 'other' });
    process.exit(7);
  `;
  const imports = "import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';";
  const { code, stdout } = await run(imports + program('http://127.0.0.1:1', '', rest)).ended;
  expect({ code, stdout }).toEqual({ code: 7, stdout: 'lost other\n' });
});

test('losses without a listener cause one process warning for each reason, and the sum is printed at the end', async () => {
  const collector = await sink(401, 401);
  const rest = `
    await analytics.flush();
    const life = setInterval(() => {}, 1_000);
    await new Promise((resolve) => process.once('warning', resolve));
    clearInterval(life);
    analytics.track({ userId: 'u', event: 'e' });
    await analytics.flush();
  `;
  const { code, stderr } = await run(program(collector.url, '', rest)).ended;
  expect(code).toBe(0);
  expect(stderr.match(/EventferryWarning/g)).toHaveLength(1);
  expect(stderr).toContain(
    '[EVENTFERRY_REJECTED] EventferryWarning: eventferry: lost 3 messages: The collector refused the message with status 401',
  );
  expect(stderr).toMatch(/^eventferry: lost 4 messages: The collector refused the message with status 401.*\n$/m);
});

test('a program that closes its client and exits reports its losses in one line', async () => {
  const collector = await sink(401);
  const { code, stderr } = await run(program(collector.url, '', 'await analytics.close(); process.exit(3);')).ended;
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^eventferry: lost 3 messages: The collector refused the message with status 401[^\n]*\(EVENTFERRY_REJECTED\)\n$/,
  );
});

test.each([
  ['that closes its client and ends', 'await analytics.close();'],
  ['that ends by itself', ''],
])('a program %s reports its losses once', async (_, rest) => {
  const collector = await sink(401);
  const { code, stderr } = await run(program(collector.url, '', rest)).ended;
  expect(code).toBe(0);
  // A program that lives long enough prints a warning, any other a line.
  expect(stderr.match(/eventferry: lost 3 messages: The collector refused the message with status 401/g)).toHaveLength(
    1,
  );
});

test('a program that loses 60,000 messages reports them by reason', async () => {
  const rest = `
    for (let i = 0; i < 59_997; i++) analytics.track({ userId: 'u', event: 'more' });
    process.exit();
  `;
  const { stderr } = await run(program('http://127.0.0.1:1', 'maxQueueBytes: 66_000', rest)).ended;
  const [, refused, aborted] =
    /^eventferry: lost 60000 messages: (\d+) × The queue is full[^\n]*; (\d+) × Not delivered[^\n]*\n$/.exec(stderr) ??
    [];
  expect(Number(refused) + Number(aborted)).toBe(60_000);
});

test('a program that loses messages in several turns reports the correct sum at its end', async () => {
  const rest = `
    for (let turn = 0; turn < 3; turn++) {
      for (let i = 0; i < 1_000; i++) analytics.track({ userId: 'u', event: 'more' });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    process.exit();
  `;
  const { stderr } = await run(program('http://127.0.0.1:1', 'maxQueueBytes: 66_000', rest)).ended;
  expect(stderr).toMatch(/^eventferry: lost 3003 messages: /m);
});

test('the losses of several clients of a program are reported in one line', async () => {
  const rest = `
    const other = new Analytics({ writeKey: 'key', endpoint: 'http://127.0.0.1:1' });
    other.track({ userId: 'u', event: 'other' });
    process.exit();
  `;
  const { stderr } = await run(program('http://127.0.0.1:1', '', rest)).ended;
  expect(stderr).toMatch(/^eventferry: lost 4 messages: Not delivered[^\n]*\n$/);
});

test.each([
  ['the option warnings: false', 'warnings: false', {}],
  ['--no-warnings', '', { NODE_OPTIONS: '--no-warnings' }],
])('with %s nothing is printed at the end', async (_, options, env) => {
  const collector = await sink(401);
  const rest = `
    await analytics.flush();
    analytics.track({ userId: 'u', event: 'waits' });
    process.exit();
  `;
  const { code, stderr } = await run(program(collector.url, options, rest), env).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('a program that waits for ready() is not ended by an outage', async () => {
  const collector = await sink(200, 503);
  const source = `
    import { Analytics } from 'eventferry';
    const analytics = new Analytics({ writeKey: 'key', endpoint: '${collector.url}', maxQueueBytes: 66_000 });
    const properties = { text: 'x'.repeat(30_000) };
    for (let i = 0; i < 5; i++) {
      await analytics.ready();
      analytics.track({ userId: 'u', event: 'e', properties });
    }
    console.log(JSON.stringify(await analytics.close()));
  `;
  const { stdout, stderr } = await run(source).ended;
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ accepted: 5, delivered: 5, lost: 0 });
});
