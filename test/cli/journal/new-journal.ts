import { client } from '../../support/client.js';
import { ok, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

export const events = (messages: readonly object[]): string[] =>
  messages.map((message) => (message as { event: string }).event);
/** What a command with `--json` has printed, line by line. */
export const recordsOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** A journal in which a client that is closed has left two waiting messages, and two dead letters before. */
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

/** A command is a process, which takes its time to start. */
export const WAIT = { timeout: 20_000 };

/** A collector that answers when it is told to, and what tells it. */
export async function slowSink() {
  let answer = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const collector = await sink(() => mayAnswer.then(ok));
  return { collector, answer };
}
