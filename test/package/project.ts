import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { INSTALL, pack } from './pack.js';
import { run } from './run.js';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * A folder outside the checkout in which the packed package is installed, with the scripts of `consumers/` and the examples
     * for other runtimes.
     */
    project: string;
    /** A folder with the compilers and the types of Node. */
    compilers: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder: string;

/** Packs the built package once, and installs it as a user would. */
export async function setup({ provide }: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'eventferry-package-'));
  const project = join(folder, 'project');
  const compilers = join(folder, 'compilers');
  const tarball = await pack(folder);
  await cp(join(root, 'test/package/consumers'), project, { recursive: true });
  for (const example of ['bun-collector.mjs', 'deno-collector.mjs']) {
    await cp(join(root, 'examples', example), join(project, example));
  }
  await writeFile(join(project, 'package.json'), '{ "name": "consumer", "private": true }');
  await run('npm', [...INSTALL, tarball], project);
  await cp(join(root, 'test/package/compilers.json'), join(compilers, 'package.json'));
  await run('npm', INSTALL, compilers);
  provide('project', project);
  provide('compilers', compilers);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
