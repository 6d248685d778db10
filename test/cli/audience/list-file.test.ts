import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type ListFile, syncFile } from '../../../src/cli/audience/list-file.js';
import { newFile } from '../files.js';
import { withStdin } from '../stdin.js';
import { readableTerminal } from '../terminal.js';

/** Makes a kind of list with these items, and records what was sent. */
function listOf(items: readonly number[]) {
  const sent: number[] = [];
  const list: ListFile<number, { name: string; count: number }> = {
    noun: 'thing',
    items: 'numbers',
    emptied: 'forget every number',
    formats: { formatOf: () => 'ndjson', csvFlags: {}, readerOf: () => Number, ndjson: () => Readable.from(items) },
    async send(name, all) {
      for await (const item of all) sent.push(item);
      return { name, count: sent.length };
    },
    tell: ({ count }) => `${count} numbers`,
  };
  return { list, sent };
}

test("a list is named after its file without the file's endings, and its result is printed", async () => {
  const { list, sent } = listOf([1, 2, 3]);
  const { printed, terminal } = readableTerminal();
  const file = await newFile('Some Numbers.v2.csv', '');
  await syncFile(list, file, {}, terminal);
  expect(sent).toEqual([1, 2, 3]);
  expect(printed.out).toBe('Some Numbers.v2  3 numbers\n');
});

test('an empty list is refused unless it is allowed, and standard input needs a name', async () => {
  const { list, sent } = listOf([]);
  const { printed, terminal } = readableTerminal();
  const file = await newFile('Numbers.csv', '');
  const sync = (options: object, name = file) =>
    withStdin(Readable.from([]), () => syncFile(list, name, options, terminal));
  await expect(sync({})).rejects.toThrow('holds no numbers; give --allow-empty to forget every number');
  await expect(sync({}, '-')).rejects.toThrow('standard input has no name; give --name NAME for the thing');
  await expect(sync({ name: 'Other' }, '-')).rejects.toThrow('standard input holds no numbers; give --allow-empty');
  await sync({ name: 'Other', allowEmpty: true });
  expect([sent, printed.out]).toEqual([[], 'Other  0 numbers\n']);
});
