import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { pack } from '../package/pack.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed package. */
    tarball: string;
  }
}

let folder: string;

/** Packs the built package once. */
export async function setup({ provide }: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'eventferry-newcomer-'));
  provide('tarball', await pack(folder));
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
