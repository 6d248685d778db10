import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** A configuration that is shown on a page. */
export interface Shown {
  /** Where it is shown: `docs/service.md:8`, the line above it. */
  readonly where: string;
  /** The name of the file to save it as. */
  readonly file: string;
  readonly text: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))].filter((name) =>
  name.endsWith('.md'),
);

const KEYS = ['listen', 'store', 'admin', 'log', 'sources', 'destinations', 'audiences', '$schema'];

/** Every YAML block, and every JSON block that has only keys of a configuration. */
export const shownConfigurations: readonly Shown[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```(yaml|json)\n(.*?)^```$/gms)].flatMap(({ 1: language = '', 2: block = '', index }) => {
    if (language === 'json' && !isConfiguration(block)) return [];
    const where = `${page}:${text.slice(0, index).split('\n').length}`;
    return { where, file: `eventferry.${language}`, text: block };
  });
});

/** Completes a configuration that is shown only in part, with the shortest possible configuration. */
export function whole({ text }: Shown): string {
  if ('sources' in parse(text)) return text;
  const shortest = shownConfigurations.find(({ where }) => where.startsWith('docs/configuration.md'));
  return `${shortest?.text}\n${text}`;
}

/** Returns the variables that a configuration names. */
export const variablesIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)),
];

function isConfiguration(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && Object.keys(value).every((key) => KEYS.includes(key));
  } catch {
    // The block is an answer with something left out.
    return false;
  }
}
