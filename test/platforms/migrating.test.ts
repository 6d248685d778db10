import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { Collector, type ReceivedMessage } from '../../src/collector/index.js';
import { serve } from '../support/loopback.js';

const page = await readFile(join(import.meta.dirname, '../../docs/migrating.md'), 'utf8');
const ENDPOINT = 'http://127.0.0.1:4100';

/** Returns the two code blocks of a section. */
function pairOf(heading: string): { before: string; after: string } {
  const section = page.split('\n## ').find((text) => text.startsWith(heading)) ?? '';
  const blockOf = (name: string): string =>
    new RegExp(`\`\`\`\\w+ ${name}\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';
  return { before: blockOf('before'), after: blockOf('after') };
}

/** Runs a program in a place where the other clients are installed. */
async function run(program: string, endpoint: string): Promise<void> {
  const folder = await mkdtemp(join(import.meta.dirname, 'app-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'program.mts'), program.replaceAll(ENDPOINT, endpoint));
  const child = spawn(process.execPath, ['--import', 'tsx', 'program.mts'], {
    cwd: folder,
    env: { ...process.env, DEBUG: '' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, output }).toEqual({ code: 0, output: '' });
}

/** Starts a collector, and returns its messages. */
async function startCollector() {
  const messages: ReceivedMessage[] = [];
  const collector = new Collector({ writeKeys: ['dev'], onMessages: (received) => void messages.push(...received) });
  onTestFinished(() => collector.close());
  return { messages, url: (await collector.listen({ port: 0, host: '127.0.0.1' })).url };
}

const EXPLICIT_TIME = '2026-11-20T12:00:00.000Z';

/** Fields that each client fills in by itself: ids, times and information about the client. */
const OWN = ['messageId', 'timestamp', 'sentAt', 'receivedAt', 'originalTimestamp', 'context', '_metadata', 'channel'];

/** Returns the other fields of the messages, with the times that the program gave, and without empty objects. */
const saidIn = (messages: readonly ReceivedMessage[]): object[] =>
  messages.map((message) => {
    const { library: _, ...context } = message.context ?? {};
    const time = message.originalTimestamp === EXPLICIT_TIME ? EXPLICIT_TIME : 'now';
    const said = Object.entries(message).filter(
      ([name, value]) => !OWN.includes(name) && JSON.stringify(value) !== '{}',
    );
    return { ...Object.fromEntries(said), context, time };
  });

const byType = (messages: readonly ReceivedMessage[]): ReceivedMessage[] =>
  [...messages].sort((a, b) => a.type.localeCompare(b.type));

test.each([['`@segment/analytics-node`'], ['`analytics-node`'], ['`@rudderstack/rudder-sdk-node`']])(
  'the program with %s sends the same messages before and after the migration',
  async (client) => {
    const { before, after } = pairOf(client);
    expect(before).toContain(`from '${client.replaceAll('`', '')}'`);
    const [old, ours] = [await startCollector(), await startCollector()];
    await run(before, old.url);
    await run(after, ours.url);
    expect(ours.messages.map(({ type }) => type)).toEqual(['identify', 'track', 'group', 'page', 'screen', 'alias']);
    // The other client sends its batches in any order.
    expect(saidIn(byType(ours.messages))).toEqual(saidIn(byType(old.messages)));
  },
);

interface PostHogEvent {
  readonly event: string;
  readonly distinct_id: string;
  readonly uuid: string;
  readonly timestamp: string;
  readonly properties: Record<string, unknown>;
}

/** Converts an event of PostHog's protocol to ours. */
function meaningOf({ event, distinct_id: userId, uuid, timestamp, properties }: PostHogEvent): object {
  const said = Object.fromEntries(Object.entries(properties).filter(([name]) => !name.startsWith('$')));
  const { $set, $group_key: groupId, $group_set } = properties;
  switch (event) {
    case '$identify':
      return { type: 'identify', userId, traits: $set };
    case '$groupidentify':
      return { type: 'group', userId, groupId, traits: $group_set };
    case '$create_alias':
      return { type: 'alias', userId, previousId: said['alias'] };
    default:
      return { type: 'track', userId, event, properties: said, messageId: uuid, originalTimestamp: timestamp };
  }
}

test('the program with `posthog-node` sends equivalent messages before and after the migration', async () => {
  const { before, after } = pairOf('`posthog-node`');
  const events: PostHogEvent[] = [];
  const posthog = await serve(async (request, response) => {
    const isCompressed = request.headers['content-encoding'] === 'gzip';
    const body = isCompressed ? request.pipe(createGunzip()) : request;
    const { batch } = (await json(body)) as { batch: PostHogEvent[] };
    events.push(...batch);
    response.end('{}');
  });
  const ours = await startCollector();
  await run(before, posthog);
  await run(after, ours.url);
  expect(ours.messages).toMatchObject(events.map(meaningOf));
  expect(ours.messages).toHaveLength(4);
});

test('the program that replaces the Go client sends the same messages as a body of that client', async () => {
  const { before, after } = pairOf('The Go client');
  const [old, ours] = [await startCollector(), await startCollector()];
  const headers = { authorization: `Basic ${btoa('dev:')}`, 'content-type': 'application/json' };
  const answer = await fetch(`${old.url}/v1/batch`, { method: 'POST', headers, body: before });
  expect(answer.status).toBe(200);
  await run(after, ours.url);
  expect(ours.messages.map(({ type }) => type)).toEqual(['identify', 'track', 'group', 'page', 'alias']);
  expect(saidIn(ours.messages)).toEqual(saidIn(old.messages));
});
