import { execFileSync } from 'node:child_process';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { needs } from '../../support/command-exists.js';
import { run } from '../command.js';

/** Returns the script for a shell. */
async function scriptFor(shell: string): Promise<string> {
  const { code, out, err } = await run(['completion', shell]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const cases: readonly [words: string[], offered: string[]][] = [
  [['jo'], ['journal']],
  [['check'], ['check', 'check-config']],
  [
    ['journal', ''],
    ['stats', 'list', 'show', 'replay', 'drop', 'flush'],
  ],
  [['send', 'track', '--prop'], ['--properties']],
  [
    ['import', '--format', ''],
    ['ndjson', 'csv'],
  ],
  [
    ['import', 'a.ndjson', '--re'],
    ['--rejects', '--restart'],
  ],
  [['completion', 'z'], ['zsh']],
  [['journal', 'drop', './events', '--dry'], ['--dry-run']],
];

describe('completion of bash', () => {
  beforeEach((context) => needs(context, 'bash'));
  let script: string;
  beforeAll(async () => {
    script = await scriptFor('bash');
  });

  /** Returns what a real bash offers after these words. */
  const offered = (words: readonly string[]): string[] => {
    const asking = `eval "$1"; shift; COMP_WORDS=(eventferry "$@"); COMP_CWORD=$#; _eventferry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', asking, 'bash', script, ...words], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  };

  test.each(cases)('bash offers after %j %j', (words, expected) => {
    expect(offered(words).toSorted()).toEqual(expected.toSorted());
  });

  test('bash itself completes file names if a command takes a file', () => {
    expect([offered(['import', '']), offered(['import', '--rejects', ''])]).toEqual([[], []]);
    const registered = execFileSync('bash', ['--norc', '-c', `eval "$1"; complete -p eventferry`, 'bash', script]);
    expect(String(registered)).toContain('-o default -F _eventferry eventferry');
  });
});

describe('completion of zsh', () => {
  beforeEach((context) => needs(context, 'zsh'));
  let script: string;
  beforeAll(async () => {
    script = await scriptFor('zsh');
  });

  /**
   * Returns what the function offers in a real zsh, whose own completion functions are replaced by ones that print their
   * arguments.
   */
  const offered = (words: readonly string[]): string[] => {
    const asking = `
      compdef() { : }
      compadd() { shift; print -l -- "$@" }
      _describe() { print -l -- "\${offered[@]%%:*}" }
      _files() { print -- FILES }
      eval "$1"; shift; words=(eventferry "$@"); CURRENT=$(( $# + 1 )); _eventferry`;
    return execFileSync('zsh', ['-f', '-c', asking, 'zsh', script, ...words], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.startsWith(words.at(-1) ?? ''))
      .filter((line) => line !== '');
  };

  test.each(cases)('zsh offers after %j %j', (words, expected) => {
    expect(offered(words).toSorted()).toEqual(expected.toSorted());
  });

  test('zsh completes file names if a command takes a file', () => {
    expect([offered(['import', '']), offered(['import', '--rejects', ''])]).toEqual([['FILES'], ['FILES']]);
  });
});

const ASKING_FISH = 'printf %s $argv[1] | source; complete -C $argv[2]';

describe('completion of fish', () => {
  beforeEach((context) => needs(context, 'fish'));
  let script: string;
  beforeAll(async () => {
    script = await scriptFor('fish');
  });

  /** Returns what a real fish offers after these words. */
  const offered = (words: readonly string[]): string[] =>
    execFileSync('fish', ['--no-config', '-c', ASKING_FISH, script, `eventferry ${words.join(' ')}`], {
      encoding: 'utf8',
    })
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '')
      .filter((line) => line !== '');

  test.each(cases)('fish offers after %j %j', (words, expected) => {
    expect(offered(words).toSorted()).toEqual(expected.toSorted());
  });
});
