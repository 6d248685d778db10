import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchOf, deliverTo, experienced, type Judge, refusing, split } from '../queue/collector.js';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 40);

/** A batch of any size in which any messages are bad: scattered, in runs, or all. */
const scenario = fc.integer({ min: 1, max: 2_500 }).chain((messages) => {
  const index = fc.nat(messages - 1);
  const scattered = fc.uniqueArray(index, { maxLength: 130 });
  const run = fc.tuple(index, index).map(([a, b]) => indexes(Math.min(a, b), Math.max(a, b) + 1));
  const runs = fc.array(run, { maxLength: 3 }).map((lists) => lists.flat());
  const bad = fc.oneof(scattered, runs, fc.constant(indexes(0, messages)));
  return fc.record({ messages: fc.constant(messages), bad: bad.map((list) => new Set(list)) });
});

const indexes = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

/** The most requests: halving tests each bad message at every size and the others rarely; some controls are added. */
const mostRequests = (messages: number, bad: number): number =>
  2 * bad * (Math.log2(messages / Math.max(1, bad)) + 2) + 30;

test('exactly the bad messages are lost, in a number of requests that grows with their number', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ messages, bad }) => {
      const { asked, attempts, lost, settled } = await deliverTo(refusing(bad), batchOf(messages), {
        acceptance: experienced(),
      });
      expect(lost).toEqual(sorted(bad));
      expect(attempts).toHaveLength(1);
      expect(asked.length).toBeLessThanOrEqual(mostRequests(messages, bad.size));
      expect(settled).toEqual(sorted(new Set(settled)));
      expect(settled.at(-1)).toBe(messages);
    }),
    { numRuns },
  );
});

test('a client without earlier deliveries also loses exactly the bad messages if there is a good one, with pauses if necessary', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ messages, bad }) => {
      fc.pre(bad.size < messages);
      const { asked, attempts, lost } = await deliverTo(refusing(bad), batchOf(messages));
      expect(lost).toEqual(sorted(bad));
      expect(asked.length).toBeLessThanOrEqual(mostRequests(messages, bad.size) + attempts.length * 50);
    }),
    { numRuns },
  );
});

test('a collector that suddenly refuses everything gets only a few requests per pause, and no good message is lost', async () => {
  const breaking = fc.record({ after: fc.nat(300), wasTakenFrom: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(scenario, breaking, async ({ messages, bad }, { after, wasTakenFrom }) => {
      fc.pre(messages > 1);
      let requests = 0;
      const judge: Judge = (sent) => (++requests > after ? split(400) : refusing(bad)(sent));
      const options = wasTakenFrom ? { acceptance: experienced(), pauses: 5 } : { pauses: 5 };
      const { attempts, results } = await deliverTo(judge, batchOf(messages), options);
      const wronglyLost = indexes(0, messages).filter((i) => results[i] === 'EVENTFERRY_REJECTED' && !bad.has(i));
      // If some messages of a batch were accepted, fewer than eight refused ones at its end need no proof.
      expect(wronglyLost.length).toBeLessThan(8);
      if (after === 0) expect(wronglyLost).toEqual([]);
      // Halving down to one message, eight messages elsewhere in the batch, and the control.
      const most = Math.ceil(Math.log2(messages)) + 1 + 8 + 1;
      let before = 0;
      for (const sent of attempts) {
        // While the collector still worked, the requests split the batch.
        if (before >= after && before > 0) expect(sent).toBeLessThanOrEqual(most);
        before += sent;
      }
    }),
    { numRuns },
  );
});
