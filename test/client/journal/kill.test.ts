import { expect, test } from 'vitest';
import { run } from '../../support/script.js';
import { type Sink, sink } from '../../support/sink.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const rounds = Number(process.env['JOURNAL_KILLS'] ?? 8);

/** Returns a program that tracks messages without end and prints the id of each one once it is stored. */
const program = (endpoint: string, journal: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal: '${journal}' });
  setInterval(async () => {
    const receipts = Array.from({ length: 20 }, () => analytics.track({ userId: 'u', event: 'E' }));
    for (const { stored, messageId } of receipts) stored.then(() => process.stdout.write(messageId + '\\n'));
  }, 2);
`;

const last = (endpoint: string, journal: string): string => `
  import { Analytics } from 'eventferry';
  const analytics = new Analytics({ writeKey: 'key', endpoint: '${endpoint}', journal: '${journal}' });
  await analytics.close({ timeout: 60_000 });
`;

test.each([1, 4])(
  'no stored message is lost by SIGKILL at any moment, with %i processes on one journal',
  async (processes) => {
    const journal = temporaryFolder();
    const collector = await sink();
    const stored = new Set<string>();
    for (let round = 0; round < rounds; round += processes) {
      const scripts = Array.from({ length: processes }, () => run(program(collector.url, journal)));
      await Promise.all(
        scripts.map(async ({ child, ended }, index) => {
          let enough = 20 * (((round + index) * 7) % 23);
          child.stdout?.on('data', (chunk: Buffer) => {
            enough -= chunk.toString().split('\n').length - 1;
            if (enough <= 0) child.kill('SIGKILL');
          });
          const { stdout } = await ended;
          // A kill may have cut off the last line.
          for (const id of stdout.split('\n').slice(0, -1)) stored.add(id);
        }),
      );
    }
    const { code, stderr } = await run(last(collector.url, journal)).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const ids = collector.messages.map(({ messageId }) => messageId);
    const delivered = new Set(ids);
    expect([...stored].filter((id) => !delivered.has(id))).toEqual([]);
    expect(repeats(collector)).toBeLessThanOrEqual(rounds + processes);
    expect(stored.size).toBeGreaterThan(0);
  },
  60_000 + rounds * 4_000,
);

/** Counts the requests with messages that had already arrived: at most one per process, which was in flight at the kill. */
function repeats({ requests }: Sink): number {
  const seen = new Set<string>();
  return requests.filter(({ batch }) => {
    const isRepeat = batch.some(({ messageId }) => seen.has(messageId));
    for (const { messageId } of batch) seen.add(messageId);
    return isRepeat;
  }).length;
}
