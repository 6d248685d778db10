import { describe, expect, test } from 'vitest';
import { freshFolder } from './fresh-folder.js';

/** Mistakes of newcomers, with what Node must then show: the class of the error, and the beginning of its message. */
const MISTAKES = [
  {
    door: 'eventferry',
    names: 'Analytics',
    mistake: "new Analytics({ writeKey: 'k' });",
    error: 'OptionError: Expected `endpoint` to be an http or https URL',
  },
  {
    door: 'eventferry',
    names: 'Analytics',
    mistake:
      "new Analytics({ writeKey: 'k', endpoint: 'http://127.0.0.1:1' }).track({ userId: 42, event: 'Signed Up' });",
    error: 'ValidationError: track.userId: expected a non-empty string, got number 42',
  },
  {
    door: 'eventferry',
    names: 'Analytics',
    mistake: `
      const analytics = new Analytics({ writeKey: 'k', endpoint: 'http://127.0.0.1:1' });
      analytics.close().then(() => analytics.track({ userId: 'u1', event: 'Signed Up' }));`,
    error: 'ClosedError: The client is closed and takes no more messages',
  },
  {
    door: 'eventferry/collector',
    names: 'Collector',
    mistake: 'new Collector({});',
    error: 'OptionError: Expected `onMessages` to be a function',
  },
  {
    door: 'eventferry/destination',
    names: 'Destination',
    mistake: "Destination.open({ webhooks: [{ url: 'nowhere' }] });",
    error: 'OptionError: Expected `webhooks[0].url` to be an absolute URL',
  },
  {
    door: 'eventferry/webhooks',
    names: 'createReceiver',
    mistake: 'createReceiver({ onEvent() {} });',
    error: 'OptionError: Expected `secrets` to be a secret or an array of them',
  },
  {
    door: 'eventferry/admin',
    names: 'AdminClient',
    mistake: "new AdminClient({ url: 'nowhere', token: 't' });",
    error: 'OptionError: Expected `url` to be an http or https URL',
  },
];

const MOST_BYTES = 1_600;

const IMPORTS: Readonly<Record<string, (names: string, door: string) => string>> = {
  mjs: (names, door) => `import { ${names} } from '${door}';`,
  cjs: (names, door) => `const { ${names} } = require('${door}');`,
};

describe.each(Object.entries(IMPORTS))('a script in .%s', (format, importOf) => {
  test('a script prints a short report for an uncaught error of any entry point, with its class and message', async () => {
    const scripts = MISTAKES.map(({ door, names, mistake }) => `${importOf(names, door)}\n${mistake}\n`);
    const folder = await freshFolder(
      Object.fromEntries(scripts.map((script, index) => [`${index}.${format}`, script])),
    );
    for (const [index, { error }] of MISTAKES.entries()) {
      const { code, stdout, stderr } = await folder.node([`${index}.${format}`]).ended;
      expect({ code, stdout }, error).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(error);
      expect(stderr.length, stderr).toBeLessThanOrEqual(MOST_BYTES);
    }
  });
});

test('the command prints a short report for an uncaught error in its own code', async () => {
  // The command expects standard output to be a stream, so this fails in a line of its own code.
  const folder = await freshFolder({ 'no-output.cjs': "Object.defineProperty(process, 'stdout', { value: {} });" });
  const cli = 'node_modules/eventferry/dist/cli.js';
  const { code, stderr } = await folder.node(['--require', './no-output.cjs', cli, '--version']).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('TypeError: process.stdout.once is not a function');
  expect(stderr.length, stderr).toBeLessThanOrEqual(MOST_BYTES);
});
