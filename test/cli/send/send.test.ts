import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fieldOptions } from '../../../src/cli/send/field-options.js';
import { send } from '../../../src/cli/send/send.js';
import type { MessageTypeName } from '../../../src/protocol/calls.js';
import { sampleCalls } from '../../support/sample-calls.js';
import { raise } from '../../support/signals.js';
import { sink } from '../../support/sink.js';
import { startCollector } from '../collector.js';
import { run } from '../command.js';
import { newFile } from '../files.js';
import { readableTerminal } from '../terminal.js';

let collector: Awaited<ReturnType<typeof startCollector>>;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.close());

const connection = () => ({ endpoint: collector.url, writeKey: 'key', retryFor: 0 });

describe('send', () => {
  test.each([...Object.entries(sampleCalls), ['screen', { anonymousId: 'a1', name: 'Home' }] as const])(
    'send delivers a %s and prints its id',
    async (type, fields) => {
      const { printed, terminal } = readableTerminal();
      await send(type as MessageTypeName, fields, connection(), terminal);
      const [message] = collector.messages;
      expect(message).toMatchObject({ type, ...fields });
      expect(printed).toEqual({ out: `delivered  ${message?.messageId}\n`, err: '' });
    },
  );

  test.each(Object.entries(sampleCalls))('send has an option for each field of a %s', (type, fields) => {
    const filled = fieldOptions[type as MessageTypeName].map(({ field }) => field);
    expect(filled).toEqual(expect.arrayContaining(Object.keys(fields)));
  });

  test('send fails when the collector refuses the message', async () => {
    const { printed, terminal } = readableTerminal({ isJson: true });
    const options = { ...connection(), writeKey: 'another' };
    await expect(send('track', sampleCalls.track, options, terminal)).rejects.toMatchObject({
      exitCode: 1,
      fields: { messageId: expect.stringMatching(/^.{36}$/), verdict: 'rejected' },
      cause: { code: 'EVENTFERRY_REJECTED' },
    });
    expect(printed).toEqual({ out: '', err: '' });
  });

  test('send reports a collector that does not answer', async () => {
    await collector.close();
    const { printed, terminal } = readableTerminal();
    await expect(send('track', sampleCalls.track, connection(), terminal)).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(/^lost [\w-]+: Gave up after 1 attempt: .*ECONNREFUSED.*$/),
    });
    expect(printed).toEqual({ out: '', err: '' });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('send reports that its message is lost when %s ends it', async (signal) => {
    const server = await sink(() => new Promise(() => {}));
    const { terminal } = readableTerminal();
    const listeners = process.rawListeners(signal);
    const sending = send('track', sampleCalls.track, { ...connection(), endpoint: server.url }, terminal);
    const failed = expect(sending).rejects.toMatchObject({
      exitCode: 130,
      fields: { verdict: 'lost' },
      message: expect.stringMatching(/^lost [\w-]{36}: interrupted before an answer came, so it may have arrived$/),
    });
    await expect.poll(() => server.requests.length).toBe(1);
    raise(signal, listeners);
    await failed;
    // A listener that another test has left may go meanwhile.
    expect(process.rawListeners(signal).filter((each) => !listeners.includes(each))).toEqual([]);
  });

  test('send refuses an invalid message before it sends', async () => {
    const { terminal } = readableTerminal();
    const sending = send('track', { userId: 'u1' }, connection(), terminal);
    await expect(sending).rejects.toThrow('--event: expected a non-empty string, got undefined');
    const deep = send('track', { userId: 'u1', event: 'x', timestamp: 'soon' }, connection(), terminal);
    await expect(deep).rejects.toThrow('--timestamp: expected a valid Date');
    expect(collector.messages).toEqual([]);
  });
});

test('send reads the JSON of an option from a file or from standard input', async () => {
  const file = await newFile('facts.json', '{"total":42}');
  const to = ['send', 'track', '--user', 'u1', '--event', 'Paid', '--endpoint', collector.url, '--write-key', 'key'];
  expect((await run([...to, '--properties', `@${file}`])).err).toBe('');
  expect((await run([...to, '--context', '@-'], {}, '{"ip":"203.0.113.7"}')).err).toBe('');
  expect(collector.messages).toMatchObject([{ properties: { total: 42 } }, { context: { ip: '203.0.113.7' } }]);
  const both = await run([...to, '--properties', '@-', '--context', '@-'], {}, '{"ip":"203.0.113.7"}');
  expect(both.err).toBe('send: standard input can be read only once; give @- once (EVENTFERRY_CLI_USAGE)\n');
});

test.each([
  ['@no-such-file.json', 3, 'send: there is no file: no-such-file.json (ENOENT)\n'],
  ['@-', 3, 'send: --properties: standard input is not a JSON object (EVENTFERRY_CLI_UNUSABLE)\n'],
])('send --properties %s is refused in one line', async (value, exitCode, line) => {
  const to = ['--endpoint', collector.url, '--write-key', 'key'];
  const { code, err } = await run(['send', 'track', '--event', 'Paid', '--properties', value, ...to], {}, '[');
  expect({ code, err }).toEqual({ code: exitCode, err: line });
});
