import { expect, test } from 'vitest';
import { newFile } from '../cli/files.js';
import { useCollector } from '../cli/importing.js';
import { readData } from './data.js';

interface CsvFile {
  readonly name: string;
  readonly csv: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
}

/** It has quotes within values that do not begin with one. docs/cli.md says that the import stops there. */
const REFUSED = 'location_coordinates';

const { files } = await readData<{ files: readonly CsvFile[] }>('csv-spectrum.json');
const { importOf, messages } = useCollector();

/** Imports a file and maps each of its columns to a property. */
const imported = async ({ name, csv, rows }: CsvFile) => {
  const columns = Object.keys(rows[0] ?? {});
  return importOf([await newFile(`${name}.csv`, csv)], {
    allowNow: true,
    // Some files have the same text as another.
    restart: true,
    set: ['type=track', 'event=E', 'userId=u'],
    map: columns.map((column, index) => `properties.c${index}=${column}`),
  });
};

test.each(files.filter(({ name }) => name !== REFUSED))('import reads each value of $name as it is', async (file) => {
  expect(await imported(file)).toMatchObject({ code: 0 });
  // An empty value is left out of the properties.
  const present = (row: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.values(row).flatMap((value, index) => (value === '' ? [] : [[`c${index}`, value]])));
  expect(messages().map((message) => Object(message).properties ?? {})).toEqual(file.rows.map(present));
});

test.each(files.filter(({ name }) => name === REFUSED))('import stops at a misplaced quote in $name', async (file) => {
  expect(await imported(file)).toMatchObject({ code: 3 });
});
