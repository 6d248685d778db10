// The same client with a journal, in a folder that goes with its process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open as openEventferry } from './eventferry.js';

export function open(url, { durability, ...settings }) {
  const path = mkdtempSync(join(tmpdir(), 'eventferry-bench-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return openEventferry(url, { ...settings, journal: { path, durability } });
}
