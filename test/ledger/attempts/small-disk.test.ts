import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder } from '../../cli/files.js';
import { bundled } from '../../support/bundled.js';
import { needs } from '../../support/command-exists.js';

const child = bundled(new URL('./small-disk-child.ts', import.meta.url));

/** Mounts a disk in a namespace of its own, so that it disappears with the process. */
const MOUNT = 'mount -t tmpfs -o size=24m none "$0" && exec "$@"';

test('attempts on a small disk leave the room that new events need, and the newest replace the oldest', async (context) => {
  needs(context, 'unshare', 'mount');
  const path = await newFolder();
  const inside = ['--user', '--map-root-user', '--mount', 'sh', '-c', MOUNT, path, process.execPath, child, path];
  const { stdout } = await promisify(execFile)('unshare', inside, { timeout: 60_000 });
  const { hasRoom, errors, kept, newest, events } = JSON.parse(stdout);
  expect(hasRoom).toBe(true);
  expect(errors).toEqual([]);
  expect(kept).toBeGreaterThan(100);
  expect(newest).toBeGreaterThan(events - 100);
});
