import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { openSource } from '../../../src/cli/demo/demo-source.js';
import type { TypedMessage } from '../../../src/protocol/calls.js';
import { needs } from '../../support/command-exists.js';
import { newFolder } from '../files.js';

const messagesIn = async (folder: string) => {
  const { name, remark, messages } = await openSource(folder);
  const all: TypedMessage[] = [];
  for await (const message of messages) all.push(message);
  return { name, remark, messages: all };
};

function commit(folder: string, subject: string): void {
  const who = ['NAME', 'EMAIL'].flatMap((part) =>
    ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${part}`, 'ada']),
  );
  const env = { ...process.env, ...Object.fromEntries(who), GIT_AUTHOR_DATE: '2019-05-01T09:30:00+0200' };
  execFileSync('git', ['-C', folder, '-c', 'maintenance.auto=false', 'commit', '-q', '--allow-empty', '-m', subject], {
    env,
  });
}

test('the demo identifies each author of a repository once, before the commits, oldest first', async (context) => {
  needs(context, 'git');
  const folder = await newFolder();
  execFileSync('git', ['-C', folder, 'init', '-q']);
  for (const subject of ['one', 'two "quoted" \\']) commit(folder, subject);
  const { name, remark, messages } = await messagesIn(folder);
  expect([name, remark]).toEqual([`the git history of ${folder}`, undefined]);
  expect(messages).toMatchObject([
    { type: 'identify', traits: { name: 'ada' }, timestamp: '2019-05-01T09:30:00+02:00' },
    { type: 'track', event: 'Commit Authored', properties: { subject: 'one', merge: false } },
    { type: 'track', event: 'Commit Authored', properties: { subject: 'two "quoted" \\', merge: false } },
  ]);
});

test.for(['a folder', 'a repository without a commit'])(
  'the demo of %s sends the sample and explains why',
  async (kind, context) => {
    const folder = await newFolder();
    if (kind !== 'a folder') needs(context, 'git');
    if (kind !== 'a folder') execFileSync('git', ['-C', folder, 'init', '-q']);
    const { name, remark, messages } = await messagesIn(folder);
    expect(name).toBe('examples/sample.ndjson');
    expect(remark).toContain('is not a git checkout with a commit');
    expect(messages.length).toBeGreaterThan(10);
  },
);
