import type { Plugin } from 'esbuild';

export const noteBundled: Plugin;
export function bundledFiles(): string[];
