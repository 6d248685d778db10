import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../package/pack.js';
import { run } from '../package/run.js';

/** Packs the built package, and installs it beside the frameworks, where an install from the registry would put it. */
export async function setup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'eventferry-platforms-'));
  const installed = join(import.meta.dirname, 'node_modules/eventferry');
  await rm(installed, { recursive: true, force: true });
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', await pack(folder), '-C', installed, '--strip-components=1'], folder);
  await rm(folder, { recursive: true });
}
