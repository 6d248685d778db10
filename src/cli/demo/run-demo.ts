import { formatCount } from '../../base/text/plural.js';
import type { ImportReport } from '../../client/import/report.js';
import type { Stats } from '../../client/queue/stats.js';
import type { ReceivedMessage } from '../../collector/received-message.js';
import type { TypedMessage } from '../../protocol/calls.js';
import type { WebhookEvent } from '../../webhooks/index.js';
import { EXIT } from '../cli-error.js';
import { quietClient } from '../options/quiet-client.js';
import { whenInterrupted } from '../terminal/interruption.js';
import { type Progress, showProgress } from '../terminal/progress-bar.js';
import type { Terminal } from '../terminal/terminal.js';
import { openSource } from './demo-source.js';
import { DemoArrivals, noting } from './expectation.js';
import { type Loop, openLoop } from './loop.js';

export interface DemoOptions {
  readonly port: number;
  /** End after the check, even on a terminal. @default false */
  readonly once?: boolean | undefined;
}

const WRITE_KEY = 'dev';
const SHOWN_INVALID = 5;

/**
 * Sends the history of a git repository through a client, a collector, a destination and a receiver, and checks at both
 * ends that every commit arrived once and unchanged.
 */
export async function runDemo(folder: string, { port, once }: DemoOptions, terminal: Terminal): Promise<number> {
  const source = await openSource(folder);
  const expected = new Map<string, string>();
  const [collected, delivered] = [new DemoArrivals(expected), new DemoArrivals(expected)];
  let first: ReceivedMessage | undefined;
  const loop = await openLoop({
    port,
    writeKey: WRITE_KEY,
    onCollected: (message) => {
      first ??= message;
      collected.note(asSent(message));
    },
    onDelivered: (event) => delivered.note(asSent(event)),
  });
  try {
    if (source.remark !== undefined) terminal.note(source.remark, { remark: source.remark });
    const pageLine = `Sending ${source.name}\nWatch it arrive at ${terminal.style('bold', loop.url)}\n`;
    terminal.print(pageLine, { source: source.name, url: loop.url });
    const sent = await sendAll(noting(expected, source.messages), loop, () => delivered.counts().arrived, terminal);
    const result = { ...sent, collected, delivered, first };
    terminal.print(describe(result, terminal), recordOf(result));
    if (terminal.out.isTTY === true && !terminal.isJson && once !== true) {
      terminal.note(`\nStill serving ${loop.url}; press Ctrl-C to stop.`, {});
      await whenInterrupted();
    }
    return isRight(result) ? EXIT.ok : EXIT.failed;
  } finally {
    await loop.close();
  }
}

/** Sends every message, and waits until all are delivered. */
async function sendAll(
  messages: AsyncIterable<TypedMessage>,
  loop: Loop,
  countDelivered: () => number,
  terminal: Terminal,
): Promise<Pick<Result, 'stats' | 'seconds' | 'report'>> {
  const analytics = quietClient({ writeKey: WRITE_KEY, endpoint: loop.url });
  const stopProgress = showProgress(terminal, () => progressOf(analytics.stats(), countDelivered()));
  try {
    const startedAt = performance.now();
    const report = await analytics.import(messages);
    const seconds = (performance.now() - startedAt) / 1000;
    const stats = await analytics.close();
    await loop.delivered();
    return { stats, seconds, report };
  } finally {
    stopProgress();
    await analytics.close();
  }
}

/** Removes the fields that were added on the way: later times, the version, and the context of the batch. */
function asSent(message: ReceivedMessage | WebhookEvent): Record<string, unknown> {
  const { receivedAt, sentAt, originalTimestamp, context, version, ...sent } = message as unknown as Record<
    string,
    unknown
  >;
  return sent;
}

interface Result {
  readonly stats: Stats;
  readonly seconds: number;
  readonly report: ImportReport;
  readonly collected: DemoArrivals;
  readonly delivered: DemoArrivals;
  readonly first: ReceivedMessage | undefined;
}

const isRight = ({ stats, report, collected, delivered }: Result): boolean =>
  stats.lost === 0 && report.invalidRows === 0 && collected.isRight && delivered.isRight;

function describe(result: Result, terminal: Terminal): string {
  const { stats, seconds, report, collected, delivered, first } = result;
  const verdict = isRight(result)
    ? terminal.style('green', 'Every message arrived once and unchanged, at the collector and in a signed POST.')
    : terminal.style('red', 'The messages that arrived differ from those sent.');
  return [
    `accepted   ${formatCount(stats.accepted)}`,
    `delivered  ${formatCount(stats.delivered)}`,
    `lost       ${formatCount(stats.lost)}`,
    `batches    ${formatCount(stats.requests)}`,
    `bytes      ${formatCount(stats.bytes)}`,
    `events/s   ${formatCount(stats.delivered / seconds)}`,
    `collector  ${describeArrivals(collected)}`,
    `webhook    ${describeArrivals(delivered)}`,
    ...report.invalid.slice(0, SHOWN_INVALID).map(({ index, error }) => `invalid    row ${index}: ${error.message}`),
    `\nThe first message as the collector saw it:\n${JSON.stringify(first, undefined, 2)}\n`,
    verdict,
  ].join('\n');
}

function describeArrivals(arrivals: DemoArrivals): string {
  const { arrived, ...wrong } = arrivals.counts();
  const remarks = Object.entries(wrong).flatMap(([what, count]) =>
    count === 0 ? [] : [`${formatCount(count)} ${what}`],
  );
  return [`${formatCount(arrived)} arrived`, ...remarks].join(', ');
}

const recordOf = ({ stats, seconds, report, collected, delivered, first }: Result): object => ({
  stats,
  seconds,
  invalid: report.invalidRows,
  collector: collected.counts(),
  webhook: delivered.counts(),
  first,
});

function progressOf({ accepted, delivered: collected }: Stats, delivered: number): Progress {
  const counts = { accepted, collected, delivered };
  const text = Object.entries(counts).map(([what, count]) => `${formatCount(count)} ${what}`);
  return { done: delivered, total: undefined, text: text.join(', '), record: counts };
}
