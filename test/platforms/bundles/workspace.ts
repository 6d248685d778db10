import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const platforms = join(import.meta.dirname, '..');

/**
 * Creates a folder with the apps, in which the packed package is linked as in a workspace, so that bundlers give the same
 * warnings about it as about an app's own code. It exists for the tests of a file. Returns a function that returns its path.
 */
export function workspace(): () => string {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(platforms, 'app-'));
    await cp(join(platforms, 'node_modules/eventferry'), join(folder, 'packages/eventferry'), { recursive: true });
    await cp(join(import.meta.dirname, 'apps'), folder, { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    await symlink('../packages/eventferry', join(folder, 'node_modules/eventferry'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return () => folder;
}

/** Creates a folder without installed packages, as for a deployed bundle. Removed when the test ends. */
export async function deployment(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
