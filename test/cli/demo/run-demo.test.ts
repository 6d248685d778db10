import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listenOn } from '../../../src/cli/listen/listen-on.js';
import { needs } from '../../support/command-exists.js';
import { run, runProcess } from '../command.js';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'demo-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

/** Creates a repository with commits of two authors, one of whom has an unusual name. */
async function repository(subjects: readonly string[]): Promise<string> {
  const path = await folder();
  const git = (args: string[], author: string): void => {
    const who = {
      GIT_AUTHOR_NAME: author,
      GIT_AUTHOR_EMAIL: `${author.length}@example.com`,
      GIT_COMMITTER_NAME: 'c',
      GIT_COMMITTER_EMAIL: 'c@example.com',
    };
    // Some versions of git start a background process for the folder, which is removed soon.
    execFileSync('git', ['-C', path, '-c', 'maintenance.auto=false', ...args], {
      env: { ...process.env, ...who, GIT_AUTHOR_DATE: '2019-05-01T09:30:00+0200' },
    });
  };
  git(['init', '-q'], 'Ada');
  for (const [index, subject] of subjects.entries()) {
    git(['commit', '-q', '--allow-empty', '-m', subject], index % 2 === 0 ? 'Ada' : 'Größe "quoted" 🦦');
  }
  return path;
}

test('demo sends every commit and author of a repository through client, collector and webhook', async (context) => {
  needs(context, 'git');
  const { code, out, err } = await run(['demo', await repository(['one', 'two: "quoted" \\ €', 'three'])]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(
    /accepted +5\ndelivered +5\nlost +0\nbatches +\d+\nbytes +[\d,]+\nevents\/s +[\d,]+\ncollector +5 arrived\nwebhook +5 arrived\n/,
  );
  expect(out).toContain('"timestamp": "2019-05-01T07:30:00.000Z"');
  expect(out).toContain('"originalTimestamp": "2019-05-01T07:30:00.000Z"');
  expect(out).toContain('Every message arrived once and unchanged');
});

test('demo outside of a repository says so, and sends the sample', async () => {
  const { code, out, err } = await runProcess(['demo', await folder()]);
  expect(err).toMatch(/is not a git checkout with a commit: using the sample instead\n$/);
  expect(out).toContain('delivered  45');
  expect(code).toBe(0);
});

test('demo --json prints its result as an object', async (context) => {
  needs(context, 'git');
  const { code, out } = await run(['demo', '--json', await repository(['one'])]);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const arrived = { arrived: 2, missing: 0, doubled: 0, changed: 0, unknown: 0 };
  expect(lines).toMatchObject([
    { source: expect.stringContaining('the git history of'), url: expect.stringMatching(/^http:/) },
    {
      stats: { accepted: 2, delivered: 2 },
      invalid: 0,
      collector: arrived,
      webhook: arrived,
      first: { type: 'identify' },
    },
  ]);
  expect(code).toBe(0);
});

test('demo on a port in use fails and suggests another', async () => {
  const server = createServer();
  const port = await listenOn(server, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  expect(await run(['demo', await folder(), '--port', String(port)])).toMatchObject({
    code: 3,
    out: '',
    err: `demo: port ${port} is already in use; try --port ${port + 1}, or --port 0 for any free one (EADDRINUSE)\n`,
  });
});
