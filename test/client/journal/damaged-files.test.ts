import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DamagedFiles, damagedOf } from '../../../src/client/journal/damaged-files.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { faultyDisk, refusal } from './faulty-disk.js';

const remains = (text: string, at: number) => ({ bytes: Buffer.from(text), path: '/j/owners/a/segment-000001', at });

test('bytes that cannot be read are kept in a file of their own, and their place is told', () => {
  const journal = temporaryFolder();
  const files = new DamagedFiles(fs, journal);
  const place = files.add('/j/owners/a', [remains('broken', 52), remains('', 60), remains(' too', 70)]);
  files.write();
  const file = join(damagedOf(journal), 'a-segment-000001-52');
  expect(place).toBe(`byte 52 of /j/owners/a/segment-000001; what is left of it is in ${file}`);
  expect(fs.readFileSync(file, 'latin1')).toBe('broken too');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test('of messages of which nothing is left no file is made', () => {
  const journal = temporaryFolder();
  const files = new DamagedFiles(fs, journal);
  expect(files.add('a', [remains('', 0)])).toBeUndefined();
  files.write();
  expect(fs.existsSync(damagedOf(journal))).toBe(false);
});

test('bytes that cannot be kept now are kept by the next write', () => {
  const journal = temporaryFolder();
  let isFull = true;
  const files = new DamagedFiles(
    faultyDisk((name) => (isFull && name === 'writeFileSync' ? refusal('ENOSPC') : undefined)),
    journal,
  );
  files.add('a', [remains('broken', 1)]);
  expect(() => files.write()).toThrow('ENOSPC');
  isFull = false;
  files.write();
  expect(fs.readdirSync(damagedOf(journal))).toEqual(['a-segment-000001-1']);
});

test('bytes that cannot be kept wait in memory up to a bound, and of those beyond it only the place is told', () => {
  const files = new DamagedFiles(fs, '/dev/null/journal');
  expect(files.add('a', [remains('x'.repeat(16 * 2 ** 20), 1)])).toContain('what is left of it is in');
  expect(files.add('a', [remains('y', 2)])).toBe('byte 2 of /j/owners/a/segment-000001');
});
