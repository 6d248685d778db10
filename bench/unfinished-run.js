// Keeps what a complete run has measured so far. A run takes up to an hour, and a failure near its end must not cost the rest.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describeMachine } from './machine.js';

const KEPT = new URL('.unfinished-run.json', import.meta.url);

/** Continues the run that ended early, or begins a new one when the commit, the working copy or the machine is another. */
export function openRun() {
  const begun = { machine: describeMachine(), commit: git('rev-parse', 'HEAD'), changes: git('diff', 'HEAD') };
  const kept = readKept();
  const isSame = kept !== undefined && Object.keys(begun).every((key) => kept[key] === begun[key]);
  const measured = isSame ? kept.measured : [];
  if (measured.length > 0) process.stderr.write(`continues after ${measured.at(-1).name}\n`);
  return {
    measured,
    keep: () => writeFileSync(KEPT, JSON.stringify({ ...begun, measured })),
    remove: () => rmSync(KEPT, { force: true }),
  };
}

function readKept() {
  try {
    return JSON.parse(readFileSync(KEPT, 'utf8'));
  } catch {
    return undefined;
  }
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' });
