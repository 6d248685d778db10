import { client } from '../../support/client.js';
import { ok, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

export const events = (messages: readonly object[]): string[] =>
  messages.map((message) => (message as { event: string }).event);
/** Parses the lines that a command with `--json` printed. */
export const recordsOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Makes a journal in which closed clients have left two dead letters and two waiting messages. */
export async function newJournal(): Promise<string> {
  const path = temporaryFolder();
  const first = client({ endpoint: (await sink(403)).url, journal: path });
  for (const event of ['Gone 1', 'Gone 2']) {
    first.analytics.track({ userId: event, event, messageId: event }).delivered.catch(() => {});
  }
  await first.analytics.flush();
  await first.analytics.close();
  const second = client({ endpoint: 'http://127.0.0.1:1', journal: path });
  const receipts = ['Left 1', 'Left 2'].map((event) =>
    second.analytics.track({ userId: event, event, messageId: event }),
  );
  for (const { delivered } of receipts) delivered.catch(() => {});
  await Promise.all(receipts.map(({ stored }) => stored));
  const closed = second.analytics.close({ timeout: 1 });
  const timer = setInterval(() => second.clock.advance(10), 1);
  await closed;
  clearInterval(timer);
  return path;
}

/** The time to wait for a command, because its process takes a while to start. */
export const WAIT = { timeout: 20_000 };

/** Starts a collector that answers only when `answer` is called. */
export async function slowSink() {
  let answer = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const collector = await sink(() => mayAnswer.then(ok));
  return { collector, answer };
}
