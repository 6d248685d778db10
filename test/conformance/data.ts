import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @throws without the variable `CONFORMANCE_DATA` */
export async function readData<T>(name: string): Promise<T> {
  const folder = process.env['CONFORMANCE_DATA'];
  if (folder === undefined) throw new Error('Set CONFORMANCE_DATA to the folder of the conformance data');
  return JSON.parse(await readFile(join(folder, name), 'utf8')) as T;
}
