import { resolve } from 'node:path';
import type { Mismatch } from './places.js';
import type { FileTexts } from './referred-files.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the values of references come from. */
export interface ReferenceTargets {
  readonly env: Environment;
  readonly files: FileTexts;
  /** The folder of the configuration, to which relative paths refer. */
  readonly folder: string;
}

export interface Replaced {
  readonly text: string;
  /** The references that were replaced: `NAME`, `file:/run/secrets/key`. */
  readonly used: readonly string[];
  /** The absolute paths of the files that it refers to. */
  readonly files: readonly string[];
  readonly complaints: readonly Mismatch[];
}

const REFERENCE = /\$\$\{|\$\{file:([^{}\0]+)\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

const MALFORMED: Mismatch = {
  expected: '${NAME} with letters, digits and _, ${file:PATH}, or $${ for a plain ${',
  received: 'another text',
};

/**
 * Replaces the references in a text: `${NAME}` by the environment variable NAME, which may be empty, `${file:PATH}` by the
 * content of the file, and `$${` by a plain `${`. References inside a replacement are left as they are.
 */
export function replaceReferences(given: string, targets: ReferenceTargets): Replaced {
  const used: string[] = [];
  const files: string[] = [];
  const complaints: Mismatch[] = [];
  const text = given.replace(REFERENCE, (reference: string, file: string | undefined, name: string | undefined) => {
    if (reference === '$${') return '${';
    if (file !== undefined) files.push(resolve(targets.folder, file));
    const found = file === undefined ? lookUp(name, targets.env) : readFrom(file, targets);
    if (typeof found === 'string') used.push(file === undefined ? String(name) : `file:${file}`);
    else complaints.push(found);
    return typeof found === 'string' ? found : reference;
  });
  return { text, used, files, complaints };
}

function lookUp(name: string | undefined, env: Environment): string | Mismatch {
  if (name === undefined) return MALFORMED;
  const text = Object.hasOwn(env, name) ? env[name] : undefined;
  return text ?? { expected: `the environment to have ${name}`, received: 'no such variable' };
}

function readFrom(file: string, { files, folder }: ReferenceTargets): string | Mismatch {
  const path = resolve(folder, file);
  const { text, problem = 'no such file' } = files.get(path) ?? {};
  return text ?? { expected: `a text file at ${path}`, received: problem };
}
