import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { TypedMessage } from '../../protocol/message.js';

// No name and no subject holds this byte.
const SEPARATOR = '\u001f';
const FORMAT = ['%H', '%aI', '%an', '%ae', '%P', '%s'].join('%x1f');

/** Whether a folder is inside a git checkout that has a commit. */
export async function isCheckout(folder: string): Promise<boolean> {
  const git = spawn('git', ['-C', folder, 'rev-parse', '--verify', 'HEAD'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    git.on('error', () => resolve(false));
    git.on('close', (code) => resolve(code === 0));
  });
}

/** The history of a repository, oldest first: a `Commit Authored` for each commit, before it an `identify` for each new author. */
export async function* messagesOf(folder: string): AsyncGenerator<TypedMessage> {
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
