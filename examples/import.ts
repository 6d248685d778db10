/** A historical import: rows with their own timestamps, from a file of any size. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Analytics, type TypedMessage } from 'eventferry';

const file = process.argv[2] ?? fileURLToPath(new URL('sample.ndjson', import.meta.url));

async function* rows(): AsyncGenerator<TypedMessage> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line);
}

const analytics = new Analytics({
  writeKey: process.env['EVENTFERRY_WRITE_KEY'] ?? 'dev',
  endpoint: process.env['EVENTFERRY_ENDPOINT'] ?? 'http://127.0.0.1:4100',
});

const { delivered, lost, invalid, invalidRows } = await analytics.import(rows(), {
  onProgress: ({ rows: read }) => console.log(`${read} rows read`),
});
await analytics.close();

console.log(`${delivered} delivered, ${lost} lost, ${invalidRows} invalid`);
for (const { index, error } of invalid) console.log(`row ${index}: ${error.message}`);
