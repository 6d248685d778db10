import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { runCheck } from '../../../src/cli/check/run-check.js';
import { MESSAGE_TYPES } from '../../../src/protocol/field-table.js';
import { SHOP } from '../../plan/plans.js';
import { newFile } from '../files.js';
import { withStdin } from '../stdin.js';
import { readableTerminal } from '../terminal.js';

test('check reads standard input, and reports rows that are not messages', async () => {
  const { printed, terminal } = readableTerminal();
  const plan = await newFile('plan.json', JSON.stringify(SHOP));
  const rows = ['{"a":', '[]', '{}', '{"type":"trak"}', '', '{"type":"alias"}', `"${'x'.repeat(1024 * 1024)}"`];
  const stdin = Readable.from([Buffer.from(rows.join('\n'))]);
  expect(await withStdin(stdin, () => runCheck(plan, '-', {}, terminal))).toBe(1);
  expect(printed.out.split('\n').map((line) => line.replace(/not JSON: .*/, 'not JSON: …'))).toEqual([
    '-:1  expected a message, got not JSON: …',
    '-:2  expected a message, got not a JSON object',
    `-:3  type: expected one of ${MESSAGE_TYPES.join(', ')}, got nothing`,
    `-:4  type: expected one of ${MESSAGE_TYPES.join(', ')}, got string "trak"`,
    '-:7  expected a message, got longer than 1048576 bytes',
    `differs  5 of 6 rows violate ${plan}`,
    '          3  unreadable',
    '          2  type  unknown_type',
    '',
  ]);
});

const checking = async (name: string, text: string, options = {}) => {
  const { printed, terminal } = readableTerminal();
  const [plan, file] = [await newFile('plan.json', JSON.stringify(SHOP)), await newFile(name, text)];
  return { code: await runCheck(plan, file, options, terminal), out: printed.out };
};

test('check reads CSV', async () => {
  const csv = 'event,userId,properties.orderId,amount\nOrder Completed,u1,a,3\nOrder Completed,u1,b,x\n';
  const map = [
    'event=event',
    'userId=userId',
    'properties.orderId=properties.orderId',
    'properties.total=amount:number',
  ];
  const { code, out } = await checking('a.csv', csv, { set: ['type=track'], map });
  expect(code).toBe(1);
  expect(out).toMatch(/a\.csv:3 {2}expected a message, got .*amount/);
  expect(out).toContain('1 of 2 rows');
});

test('check refuses a JSON array, and CSV under another file name, with one error each', async () => {
  await expect(checking('a.json', '[\n{},\n{}]')).rejects.toThrow('expected one JSON object per line');
  await expect(checking('a.txt', 'type,event\ntrack,x\n')).rejects.toThrow('give --format csv to read CSV');
});
