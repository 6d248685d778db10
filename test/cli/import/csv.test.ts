import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newFile } from '../files.js';
import { useCollector } from '../importing.js';

const { importOf, messages } = useCollector();

test('import maps the columns of CSV', async () => {
  const csv = 'when,who,sum,note\n2024-01-01T00:00:00Z,u1,42.5,"two\nlines"\n2024-01-02T00:00:00Z,u2,,\n';
  const file = await newFile('orders.csv', csv);
  const map = ['timestamp=when', 'userId=who', 'properties.total=sum:number', 'properties.note=note'];
  const { code } = await importOf([file], { map, set: ['type=track', 'event=Order Completed'] });
  expect(code).toBe(0);
  expect(messages()).toMatchObject([
    { type: 'track', userId: 'u1', event: 'Order Completed', properties: { total: 42.5, note: 'two\nlines' } },
    { type: 'track', userId: 'u2', originalTimestamp: '2024-01-02T00:00:00.000Z' },
  ]);
});

test('import reads CSV with a byte order mark, carriage returns, an empty line and NULLs', async () => {
  const csv = '\ufefftype,userId,name,timestamp\r\n\r\npage,u1,NULL,2024-01-01\r\npage,NULL,x,2024-01-01\r\n';
  const { summary } = await importOf([await newFile('a.csv', csv)], { null: ['NULL'] });
  expect(summary).toMatchObject({ delivered: 1, rejected: 1, firstRejects: [{ line: 4 }] });
  expect(messages()[0]).not.toHaveProperty('name');
});

test('a rejected row of CSV is kept without the end of its line', async () => {
  const csv = 'type,userId,event,timestamp\r\ntrack,u1\r\ntrack,u2,x,2024-01-01\r\ntrack,u3';
  const rejects = await newFile('rejects.ndjson', '');
  await importOf([await newFile('a.csv', csv)], { rejects });
  const rows = (await readFile(rejects, 'utf8')).trimEnd().split('\n');
  expect(rows.map((line) => JSON.parse(line).row)).toEqual(['track,u1', 'track,u3']);
});

test('import reads a .tsv file with tabs between the values', async () => {
  const file = await newFile('a.tsv', 'type\tuserId\tname\ttimestamp\npage\tu1\tHome, sweet home\t2024-01-01\n');
  await importOf([file]);
  expect(messages()).toMatchObject([{ type: 'page', name: 'Home, sweet home' }]);
});

test('import rejects a row of CSV with too few values and reads the next one', async () => {
  const csv = 'type,userId,event,timestamp\ntrack,u1\n"track","u2",x,2024-01-01\n';
  const { summary } = await importOf([await newFile('a.csv', csv)]);
  expect(summary).toMatchObject({ delivered: 1, rejected: 1 });
  expect(summary.firstRejects[0]).toMatchObject({ line: 2, reason: 'has 2 values where the header has 4' });
});

test('import stops at a quote out of place in CSV', async () => {
  const csv = 'type,userId,event,timestamp\ntrack,u1,x,2024-01-01\ntrack,"u2"x,x,2024-01-01\n';
  const { code, summary, stopped } = await importOf([await newFile('a.csv', csv)]);
  expect(code).toBe(3);
  expect(summary).toMatchObject({ delivered: 1 });
  expect(stopped).toMatch(/a\.csv: not valid CSV: .* line 3/);
});

test.each([
  ['type;userId;event;timestamp', "give --delimiter ';'"],
  ['type\tuserId', "give --delimiter '\\t'"],
  ['type|userId|event', "give --delimiter '|'"],
])('import stops at the CSV header %j and suggests a delimiter', async (header, advice) => {
  const { code, stopped } = await importOf([await newFile('a.csv', `${header}\n`)]);
  expect({ code, stopped }).toEqual({
    code: 3,
    stopped: expect.stringContaining(`a.csv: the header is one column, ${JSON.stringify(header)}; ${advice}`),
  });
});

test('import stops at a CSV header without a line end and suggests a delimiter', async () => {
  const { code, stopped } = await importOf([await newFile('a.csv', 'type;userId')]);
  expect({ code, stopped }).toEqual({ code: 3, stopped: expect.stringContaining("give --delimiter ';'") });
});

test.each([undefined, ';'])(
  'import asks to remove the `sep=` line of Excel, with --delimiter %s',
  async (delimiter) => {
    const file = await newFile('a.csv', 'sep=;\ntype;userId\n');
    const { code, stopped } = await importOf([file], { ...(delimiter !== undefined && { delimiter }) });
    expect({ code, stopped }).toEqual({
      code: 3,
      stopped: expect.stringContaining('the first line, `sep=`, is for Excel alone; remove it'),
    });
  },
);

test('the name of a column may contain another delimiter if the header has several columns', async () => {
  const csv = 'type|kind,who,title,when\npage,u1,Home,2024-01-01\n';
  const map = ['type=type|kind', 'userId=who', 'name=title', 'timestamp=when'];
  const { code } = await importOf([await newFile('a.csv', csv)], { map });
  expect(code).toBe(0);
  expect(messages()).toMatchObject([{ type: 'page', userId: 'u1', name: 'Home' }]);
});

test.each([
  [60, ''],
  [61, '…'],
])('a CSV header of one column with %i characters is shown with at most 60 of them', async (length, mark) => {
  const header = 'a;b'.padEnd(length, 'x');
  const { stopped } = await importOf([await newFile('a.csv', `${header}\n`)]);
  const shown = header.slice(0, 60 - mark.length) + mark;
  expect(stopped).toContain(`a.csv: the header is one column, "${shown}"; give --delimiter ';'`);
});

test('import rejects rows of CSV that are not UTF-8', async () => {
  const csv = Buffer.from('type,userId,name,timestamp\npage,u1,Caf\xe9,2024-01-01\npage,u2,Bar,2024-01-01\n', 'latin1');
  const { summary } = await importOf([await newFile('a.csv', csv)]);
  expect(summary).toMatchObject({
    delivered: 1,
    firstRejects: [{ line: 2, reason: expect.stringContaining('not valid UTF-8') }],
  });
});
