import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { TypedMessage } from '../../protocol/calls.js';
import { unusable } from '../cli-error.js';

/** The paths of the sample, relative to the built command and to the source. */
const PLACES = ['../../examples/sample.ndjson', '../../../examples/sample.ndjson'];

export interface DemoSource {
  readonly name: string;
  /** The reason why the source is not the repository; undefined if it is. */
  readonly remark: string | undefined;
  readonly messages: AsyncIterable<TypedMessage>;
}

/** Opens the history of a repository, or the sample in the package if there is none. */
export async function openSource(folder: string): Promise<DemoSource> {
  if (await isCheckout(folder)) {
    return { name: `the git history of ${folder}`, remark: undefined, messages: messagesOf(folder) };
  }
  const remark = `${folder} is not a git checkout with a commit: using the sample instead`;
  return { name: 'examples/sample.ndjson', remark, messages: sample() };
}

async function* sample(): AsyncGenerator<TypedMessage> {
  const lines = createInterface({ input: createReadStream(sampleFile()) });
  for await (const line of lines) yield JSON.parse(line);
}

function sampleFile(): URL {
  const file = PLACES.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
  if (file === undefined)
    throw unusable('examples/sample.ndjson is missing from the package; install eventferry again');
  return file;
}

// Neither names nor subjects contain this byte.
const SEPARATOR = '\u001f';
const FORMAT = ['%H', '%aI', '%an', '%ae', '%P', '%s'].join('%x1f');

/** Tells whether a folder is inside a git checkout that has a commit. */
const isCheckout = (folder: string): Promise<boolean> =>
  promisify(execFile)('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD']).then(
    () => true,
    () => false,
  );

/** Yields the history of a repository, oldest first: a `Commit Authored` for each commit, after an `identify` for each new author. */
async function* messagesOf(folder: string): AsyncGenerator<TypedMessage> {
  const authors = new Set<string>();
  for await (const line of linesOf(folder)) {
    const [hash = '', timestamp = '', name = '', email = '', parents = '', subject = ''] = line.split(SEPARATOR);
    const userId = idOf(email || name);
    if (!authors.has(userId)) {
      authors.add(userId);
      yield { type: 'identify', messageId: `author-${userId}`, userId, timestamp, traits: { name, email } };
    }
    const properties = { hash, subject, merge: parents.includes(' ') };
    yield { type: 'track', messageId: `commit-${hash}`, userId, timestamp, event: 'Commit Authored', properties };
  }
}

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

async function* linesOf(folder: string): AsyncGenerator<string> {
  const git = spawn('git', ['-C', folder, 'log', '--reverse', `--format=${FORMAT}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => git.on('close', resolve));
  yield* createInterface({ input: git.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  const code = await ended;
  if (code !== 0) throw new Error(`git log ended with code ${code}`);
}
