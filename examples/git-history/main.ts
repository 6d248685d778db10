/**
 * Sends the history of a git repository through a real collector, and checks that every commit arrived once and unchanged.
 *
 *     npm start                  the repository this checkout is
 *     npm start -- ~/src/other   another one
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Analytics, type Stats, type TypedMessage } from 'eventferry';
import { Collector, type ReceivedMessage } from 'eventferry/collector';
import { isCheckout, messagesOf } from './commits.js';
import { Comparison } from './comparison.js';

const SAMPLE = fileURLToPath(new URL('../sample.ndjson', import.meta.url));

async function main(folder: string): Promise<void> {
  const comparison = new Comparison();
  let first: ReceivedMessage | undefined;
  const collector = new Collector({
    writeKeys: ['dev'],
    onMessages: (messages) => {
      first ??= messages[0];
      for (const message of messages) comparison.arrive(asSent(message));
    },
  });
  const { url } = await collector.listen({ port: 0 });
  const source = await open(folder);
  print(`Sending ${source.name} to the collector on ${url}`);

  const analytics = new Analytics({ writeKey: 'dev', endpoint: url });
  const startedAt = performance.now();
  const report = await analytics.import(comparison.watch(source.messages), {
    onProgress: ({ rows }) => showProgress(`${count(rows)} messages, ${count(analytics.stats().delivered)} delivered`),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const stats = await analytics.close();
  await collector.close();

  summarise(stats, seconds);
  for (const { index, error } of report.invalid.slice(0, 5)) print(`invalid   row ${index}: ${error.message}`);
  print(`\nThe first message as the collector saw it:\n${JSON.stringify(first, undefined, 2)}\n`);
  conclude(comparison, report.invalid.length + stats.lost);
}

/** The history of a repository; outside of one, a sample. */
async function open(folder: string): Promise<{ name: string; messages: AsyncIterable<TypedMessage> }> {
  if (await isCheckout(folder)) return { name: `the git history of ${folder}`, messages: messagesOf(folder) };
  print(`${folder} is no git checkout with a commit: taking the sample instead`);
  return { name: 'examples/sample.ndjson', messages: sample() };
}

async function* sample(): AsyncGenerator<TypedMessage> {
  for await (const line of createInterface({ input: createReadStream(SAMPLE) })) yield JSON.parse(line);
}

/** A received message without what was added on the way: the times, and the context of the batch. */
function asSent({ receivedAt, sentAt, originalTimestamp, context, ...message }: ReceivedMessage): object {
  return { ...message, timestamp: originalTimestamp };
}

function summarise({ accepted, delivered, lost, requests, bytes }: Stats, seconds: number): void {
  const perSecond = Math.round(delivered / seconds);
  print(`accepted  ${count(accepted)}
delivered ${count(delivered)}
lost      ${count(lost)}
batches   ${count(requests)}
bytes     ${count(bytes)}
events/s  ${count(perSecond)}`);
}

function conclude({ missing, doubled, changed, unknown, isEqual }: Comparison, failed: number): void {
  if (isEqual && failed === 0) {
    print('Every message arrived once and unchanged.');
    return;
  }
  print(
    `Not what was sent: ${missing} missing, ${doubled} doubled, ${changed} changed, ${unknown} unknown, ${failed} invalid or lost.`,
  );
  process.exitCode = 1;
}

/** On a terminal a line that is written over, elsewhere nothing: the summary says it all. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

const print = (text: string): void => {
  showProgress('');
  process.stdout.write(`${text}\n`);
};

const count = (value: number): string => value.toLocaleString('en');

await main(process.argv[2] ?? process.cwd());
