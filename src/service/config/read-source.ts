import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { whyUnreadable } from '../../base/errors/unreadable.js';
import { once } from '../../base/structures/once.js';
import { textIn } from '../../base/text/file-text.js';
import { ConfigFileError } from './config-errors.js';
import { configText } from './config-text.js';
import { ConfigDocument } from './document.js';
import type { Environment } from './environment.js';
import { compilerFor, MAX_PLAN_BYTES, type PlanSource, planFilesOf } from './plans.js';
import { type FileTexts, readReferredFiles } from './referred-files.js';

export interface LoadOptions {
  /** The variables that replace `${NAME}`. @default process.env */
  readonly env?: Environment | undefined;
  /** The configuration, if it is not in a file. `file` is then only its name in errors and the base of relative paths. */
  readonly text?: string | undefined;
}

/** The result of an earlier reading. It lets a later reading skip the parsing if neither the text nor a file has changed. */
export interface Known {
  readonly text: string;
  /** The files of `${file:PATH}`. */
  readonly secrets: FileTexts;
  readonly planPaths: readonly string[];
  readonly compile: PlanSource['compile'];
}

/** A configuration and the files that it refers to, all read at the same time. */
export interface Reading extends PlanSource {
  /** Parses the text, which takes many times the memory of the text itself. */
  document(): ConfigDocument;
  /** The files of `${file:PATH}` and of tracking plans. */
  readonly files: FileTexts;
  /** A key that changes whenever anything in the reading changes. */
  readonly key: string;
  readonly known: Known;
}

/**
 * Reads a configuration and the files that it refers to, and loads the compiler of tracking plans if there are any.
 *
 * @param onFile called with each file before it is read
 * @throws ConfigFileError
 */
export async function readSource(
  file: string,
  { env = process.env, text: given }: LoadOptions = {},
  onFile: (path: string) => void = () => {},
  before?: Known,
): Promise<Reading> {
  const readAll = (paths: Iterable<string>, maxBytes?: number): Promise<FileTexts> => {
    for (const path of paths) onFile(path);
    return readReferredFiles(paths, maxBytes);
  };
  if (given === undefined) onFile(file);
  const text = given ?? (await readConfig(file));
  const folder = dirname(resolve(file));
  const read = once(() => configText(text));
  const documentWith = (env: Environment, files: FileTexts): ConfigDocument =>
    new ConfigDocument(read(), { env, files, folder });
  const isSameText = before?.text === text;
  const secrets = await readAll([...(isSameText ? before.secrets.keys() : documentWith({}, new Map()).files)]);
  const document = (): ConfigDocument => documentWith(env, secrets);
  // The path of a plan may come from the environment or from another file, so those files are read first.
  const isSame = isSameText && isDeepStrictEqual(before.secrets, secrets);
  const known = isSame ? before : { text, secrets, ...(await plansOf(document(), folder)) };
  const files = new Map([...secrets, ...(await readAll(known.planPaths, MAX_PLAN_BYTES))]);
  const key = createHash('sha256')
    .update(JSON.stringify([text, ...files]))
    .digest('base64');
  return { document, files, folder, compile: known.compile, key, known };
}

const plansOf = async (document: ConfigDocument, folder: string): Promise<Pick<Known, 'planPaths' | 'compile'>> => ({
  planPaths: planFilesOf(document, folder),
  compile: await compilerFor(document),
});

/** @throws ConfigFileError */
async function readConfig(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ConfigFileError(file, whyUnreadable(error) ?? 'cannot read the file', { cause: error });
  });
  const { text, problem } = textIn(bytes, 'JSON or YAML');
  if (text === undefined) throw new ConfigFileError(file, problem);
  return text;
}
