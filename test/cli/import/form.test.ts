import { expect, test } from 'vitest';
import { checkForm } from '../../../src/cli/import/form.js';

async function read(...texts: string[]): Promise<string> {
  async function* chunks() {
    for (const text of texts) yield Buffer.from(text);
  }
  let read = '';
  for await (const chunk of checkForm(chunks(), 'a')) read += Buffer.from(chunk).toString();
  return read;
}

test.each(['[', '\ufeff\n [{"type":"track"}]', `[${' '.repeat(10_000)}`])(
  'a file that is a JSON array is refused with one error',
  async (text) => {
    await expect(read(text)).rejects.toThrow(
      "a is a JSON array, and each line has to be one message; jq -c '.[]' FILE",
    );
  },
);

test.each(['type,userId,event\n', '"type";"user id"\r\n', 'type\tuserId', 'a|b\n'])(
  'a file with the CSV header %j is refused with one error',
  async (text) => {
    await expect(read('', text)).rejects.toThrow('a looks like CSV; give --format csv to read it as CSV');
  },
);

test.each(['', '{"a":1,"b":2}\n', 'not json\n', '{}\n[1]\n', '"a","b",3\n'])(
  'a file such as %j is read as NDJSON',
  async (text) => {
    expect(await read(text)).toBe(text);
  },
);
