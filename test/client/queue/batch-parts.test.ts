import { expect, test } from 'vitest';
import { batchOf, delivered, deliverTo, experienced, type Judge, refusing, split } from './collector.js';

const REJECTED = 'EVENTFERRY_REJECTED';

test.each([400, 413])(
  'a batch that is refused with %i is halved, in order, until the bad message stands alone',
  async (status) => {
    const judge: Judge = (messages) => (messages.includes(2) ? split(status) : delivered);
    const { asked, results } = await deliverTo(judge, batchOf(4));
    expect(asked).toEqual([[0, 1, 2, 3], [0, 1], [2, 3], [2], [3]]);
    expect(results).toEqual([undefined, undefined, REJECTED, undefined]);
  },
);

test('indexes in the response to a part of a batch count from the start of the part', async () => {
  const judge: Judge = (messages) =>
    messages.length === 4
      ? split(413)
      : { ...delivered, rejections: messages[0] === 2 ? [{ index: 1, reason: '' }] : [] };
  expect((await deliverTo(judge, batchOf(4))).lost).toEqual([3]);
});

test('a refused batch with one bad message at its end needs no more requests than halving', async () => {
  const { asked, attempts, lost } = await deliverTo(refusing(new Set([3])), batchOf(4));
  expect(asked).toEqual([[0, 1, 2, 3], [0, 1], [2, 3], [2], [3]]);
  expect(attempts).toHaveLength(1);
  expect(lost).toEqual([3]);
});

test('a batch is lost if each of its messages alone is refused with 413, because they are too large', async () => {
  const { attempts, lost } = await deliverTo(() => split(413), batchOf(20));
  expect(attempts).toEqual([39]);
  expect(lost).toHaveLength(20);
});

test.each([
  ['1', [1_700], 30],
  ['25 spread', Array.from({ length: 25 }, (_, index) => index * 100), 2 * 25 * 10],
  ['126 spread', Array.from({ length: 126 }, (_, index) => index * 19), 2 * 126 * 8],
  ['126 at the front', Array.from({ length: 126 }, (_, index) => index), 2 * 126 * 3],
  ['126 at the end', Array.from({ length: 126 }, (_, index) => 2_374 + index), 2 * 126 * 3],
  ['2,500', Array.from({ length: 2_500 }, (_, index) => index), 2 * 2_500 + 20],
])(
  'a refused batch with %s bad of 2,500 messages loses exactly those, in a limited number of requests',
  async (_, bad, most) => {
    const { asked, attempts, lost } = await deliverTo(refusing(new Set(bad)), batchOf(2_500), {
      acceptance: experienced(),
    });
    expect(lost).toEqual(bad);
    expect(asked.length).toBeLessThanOrEqual(most);
    // Each proof covers twice as many messages as the one before.
    expect(asked.filter(([message]) => message === -1).length).toBeLessThan(10);
    expect(attempts).toHaveLength(1);
  },
);

test('refused messages at the front of a batch are lost once others in it are accepted, even without earlier deliveries', async () => {
  const { attempts, lost } = await deliverTo(refusing(new Set(Array(300).keys())), batchOf(2_500));
  expect(attempts).toHaveLength(1);
  expect(lost).toHaveLength(300);
});

test('a batch of bad messages is lost if the collector accepts a message again that it had accepted before', async () => {
  const { asked, attempts, lost } = await deliverTo(refusing(new Set([0, 1, 2])), batchOf(3), {
    acceptance: experienced(),
  });
  expect(asked.slice(-2)).toEqual([[2], [-1]]);
  expect(attempts).toHaveLength(1);
  expect(lost).toEqual([0, 1, 2]);
});

test('a client without earlier deliveries tests a collector that refuses a whole batch with a message that waits behind it', async () => {
  const { asked, attempts, lost } = await deliverTo(refusing(new Set([0, 1])), batchOf(2), { waiting: 7 });
  expect(asked).toEqual([[0, 1], [0], [1], [7]]);
  expect(attempts).toHaveLength(1);
  expect(lost).toEqual([0, 1]);
});

test.each([2, 3, 20, 2_500])(
  'a batch of %i at a collector that refuses everything waits and loses no message',
  async (messages) => {
    for (const acceptance of [undefined, experienced()]) {
      const { attempts, results } = await deliverTo(() => split(400), batchOf(messages), {
        ...(acceptance === undefined ? {} : { acceptance }),
        pauses: 10,
      });
      expect(results).toEqual(Array(messages).fill('EVENTFERRY_REFUSES_ALL'));
      expect(Math.max(...attempts)).toBeLessThanOrEqual(Math.ceil(Math.log2(messages)) * 2 + 18);
    }
  },
);

test('a collector that refuses everything is sent the whole batch first after each pause', async () => {
  let attempts = 0;
  const { asked, results } = await deliverTo((messages) => {
    if (messages.length === 2_500) attempts++;
    return attempts <= 3 ? split(400) : delivered;
  }, batchOf(2_500));
  expect(asked.at(-1)).toHaveLength(2_500);
  expect(results).toEqual(Array(2_500).fill(undefined));
});

test('if a collector refuses everything from the middle of a batch on, none of the rest is lost', async () => {
  let requests = 0;
  const bad = new Set([5]);
  const judge: Judge = (messages) => (++requests > 30 ? split(400) : refusing(bad)(messages));
  for (let index = 100; index < 2_500; index += 100) bad.add(index);
  const batch = batchOf(2_500);
  const { results } = await deliverTo(judge, batch, { pauses: 3 });
  const lost = results.flatMap((code, index) => (code === REJECTED ? [index] : []));
  expect(lost.filter((index) => !bad.has(index))).toEqual([]);
  expect(results.filter((code) => code === 'EVENTFERRY_REFUSES_ALL').length).toBeGreaterThan(2_000);
});

test('if a collector refuses every message that is sent singly, eight are lost, and then messages wait', async () => {
  const acceptance = experienced();
  const codes: (string | undefined)[] = [];
  for (let index = 0; index < 10; index++) {
    const { results } = await deliverTo(() => split(400), batchOf(1), { acceptance, pauses: 1 });
    codes.push(results[0]);
  }
  expect(codes).toEqual([...Array(8).fill(REJECTED), 'EVENTFERRY_REFUSES_ALL', 'EVENTFERRY_REFUSES_ALL']);
});

test('a batch that was accepted before the first refusal does not prove that the refused messages are bad', async () => {
  const acceptance = experienced();
  const judge: Judge = async (messages) => {
    if (messages.length === 3) await deliverTo(() => delivered, batchOf(1, 100), { acceptance });
    return split(400);
  };
  const { results } = await deliverTo(judge, batchOf(3), { acceptance, pauses: 0 });
  expect(results).toEqual(Array(3).fill('EVENTFERRY_REFUSES_ALL'));
});

test('a collector that refuses twenty single bad messages and accepts others does not count as refusing everything', async () => {
  const acceptance = experienced();
  for (let index = 0; index < 20; index++) {
    const { attempts, lost } = await deliverTo(refusing(new Set([0])), batchOf(1), { acceptance });
    expect({ attempts: attempts.length, lost }).toEqual({ attempts: 1, lost: [0] });
  }
});

test('a message that was accepted out of order stays delivered if the collector then refuses everything', async () => {
  // Nine bad messages come first, so others are tried elsewhere, and one is accepted before the collector fails.
  let isBroken = false;
  const judge: Judge = (messages) => {
    if (isBroken || messages.some((message) => message < 9)) return split(400);
    isBroken = true;
    return delivered;
  };
  const { asked, results } = await deliverTo(judge, batchOf(40), { pauses: 2 });
  const [taken] = asked.filter((messages) => messages.every((message) => message >= 9));
  expect(taken).toHaveLength(1);
  expect(results[taken?.[0] ?? 0]).toBeUndefined();
  expect(results.filter((code) => code === undefined)).toHaveLength(1);
});

test('a message that is refused alone is lost if one of another batch is accepted after it, and waits if it was accepted before', async () => {
  const acceptance = experienced();
  const judge: Judge = async (messages) => {
    if (messages[0] === 2) await deliverTo(() => delivered, batchOf(1, 100), { acceptance });
    return split(400);
  };
  const { results } = await deliverTo(judge, batchOf(3), { acceptance, pauses: 0 });
  expect(results).toEqual([REJECTED, REJECTED, 'EVENTFERRY_REFUSES_ALL']);
});
