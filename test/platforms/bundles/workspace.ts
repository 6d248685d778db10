import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const platforms = join(import.meta.dirname, '..');

/**
 * A folder with the apps, beside the packed package as a workspace has it: linked, so that bundlers warn of it as of an app's own code.
 * There for the tests of a file. Returns what gives its path.
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

/** A folder where no package is installed, as a bundle is deployed. Removed when the test ends. */
export async function deployment(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
