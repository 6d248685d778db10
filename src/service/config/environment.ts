import type { FileTexts } from './secret-files.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the references of a text lead. */
export interface Surroundings {
  readonly env: Environment;
  readonly files: FileTexts;
  /** The absolute path of a file, as it is named in the text. */
  pathOf(name: string): string;
}

export interface Replaced {
  readonly text: string;
  /** What it was made with: `NAME`, `file:/run/secrets/key`. */
  readonly used: readonly string[];
  /** The variables that are not set. */
  readonly missing: readonly string[];
  /** The files it names, by their absolute paths. */
  readonly files: readonly string[];
  /** Whether a `${` stands there that begins no reference. */
  readonly isMalformed: boolean;
}

const REFERENCE = /\$\$\{|\$\{file:([^{}\0]+)\}|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;

/**
 * Replaces the references in a text: `${NAME}` is what the variable NAME of the environment is set to, which may be empty,
 * `${file:PATH}` is what the file holds, and `$${` is a plain `${`. What was put in is not looked at again.
 */
export function replaceReferences(given: string, { env, files: texts, pathOf }: Surroundings): Replaced {
  const used: string[] = [];
  const missing: string[] = [];
  const files: string[] = [];
  let isMalformed = false;
  const text = given.replace(REFERENCE, (reference: string, file: string | undefined, name: string | undefined) => {
    if (reference === '$${') return '${';
    if (file !== undefined) {
      files.push(pathOf(file));
      used.push(`file:${file}`);
      return texts.get(pathOf(file))?.text ?? reference;
    }
    if (name === undefined) {
      isMalformed = true;
      return reference;
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    (value === undefined ? missing : used).push(name);
    return value ?? reference;
  });
  return { text, used, missing, files, isMalformed };
}
