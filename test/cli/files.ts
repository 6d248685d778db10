import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed after the test. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function newFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await newFolder(), name);
  await writeFile(path, content);
  return path;
}

export const rowOf = (number: number): Record<string, unknown> => ({
  type: 'track',
  userId: 'u1',
  event: 'Counted',
  properties: { number },
  timestamp: '2024-01-01T00:00:00.000Z',
});

export const ndjson = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
