import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { whyUnreadable } from '../../base/errors/unreadable.js';
import { textIn } from '../../base/text/file-text.js';
import { ConfigFileError } from './config-errors.js';
import { ConfigText } from './config-text.js';
import { ConfigDocument, type ConfigSource } from './document.js';
import type { Environment } from './environment.js';
import { hasPlans, MAX_PLAN_BYTES, planFilesOf } from './plans.js';
import { type FileTexts, readReferredFiles } from './referred-files.js';

export interface LoadOptions {
  /** The variables that replace `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  /** The configuration, if it is not in a file. `file` is then only its name in errors and the base of relative paths. */
  readonly text?: string | undefined;
}

/** All texts of a configuration, read at the same time. */
export interface Reading extends ConfigSource {
  /** A key that changes whenever anything in the reading changes. */
  readonly key: string;
}

/** The files that a text refers to. */
interface Referred {
  /** Identifies the text and the files that it names as `${file:PATH}`. */
  readonly key: string;
  /** The files of its tracking plans; undefined if it has none. */
  readonly plans: readonly string[] | undefined;
}

type DocumentWith = (env: Environment, files: FileTexts) => ConfigDocument;

const NO_FILES: FileTexts = new Map();

/** Reads a configuration and the files that it refers to. It parses the text only if the text or one of the files has changed. */
export class SourceReader {
  readonly #file: string;
  readonly #env: Environment;
  readonly #folder: string;
  readonly #text: string | undefined;
  #named: { readonly key: string; readonly paths: ReadonlySet<string> } | undefined;
  #referred: Referred | undefined;

  constructor(file: string, { env = process.env, text }: LoadOptions = {}) {
    this.#file = file;
    this.#text = text;
    this.#env = env;
    this.#folder = folderOf(file);
  }

  /**
   * Reads everything, and loads the compiler of tracking plans if there are any.
   *
   * @param onFile called with each file before it is read
   * @throws ConfigFileError
   */
  async read(onFile: (path: string) => void = () => {}): Promise<Reading> {
    const readAll = async (paths: Iterable<string>, maxBytes?: number): Promise<FileTexts> => {
      for (const path of paths) onFile(path);
      return readReferredFiles(paths, maxBytes);
    };
    if (this.#text === undefined) onFile(this.#file);
    const text = this.#text ?? (await readConfig(this.#file));
    let configText: ConfigText | undefined;
    const documentWith: DocumentWith = (env, files) => {
      configText ??= new ConfigText(text);
      return new ConfigDocument(configText, { env, files, folder: this.#folder });
    };
    // A large text is hashed only once per reading.
    const textKey = hashOf(text);
    const secrets = await readAll(this.#filesNamedIn(textKey, documentWith));
    const { key, plans: paths, document } = this.#plansOf(keyOf(textKey, secrets), secrets, documentWith);
    if (paths === undefined) return { key, text, files: secrets, document };
    const plans = await readAll(paths, MAX_PLAN_BYTES);
    const { compilePlan } = await import('../../plan/compile.js');
    const files = new Map([...secrets, ...plans]);
    return { key: keyOf(textKey, files), text, files, document, compilePlan };
  }

  #filesNamedIn(key: string, documentWith: DocumentWith): ReadonlySet<string> {
    if (this.#named?.key !== key) this.#named = { key, paths: documentWith({}, NO_FILES).files };
    return this.#named.paths;
  }

  /** Finds the plan files. The path of a plan may come from the environment or from another file, so those are resolved first. */
  #plansOf(key: string, secrets: FileTexts, documentWith: DocumentWith): Referred & Pick<ConfigSource, 'document'> {
    if (this.#referred?.key === key) return this.#referred;
    const document = documentWith(this.#env, secrets);
    const plans = hasPlans(document) ? planFilesOf(document, this.#folder) : undefined;
    this.#referred = { key, plans };
    return { key, plans, document };
  }
}

export const folderOf = (file: string): string => dirname(resolve(file));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

const keyOf = (textKey: string, files: FileTexts): string =>
  files.size === 0 ? textKey : hashOf(JSON.stringify([textKey, ...files]));

/** @throws ConfigFileError */
async function readConfig(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ConfigFileError(file, whyUnreadable(error) ?? 'cannot read the file', { cause: error });
  });
  const { text, problem } = textIn(bytes, 'JSON or YAML');
  if (text === undefined) throw new ConfigFileError(file, problem);
  return text;
}
