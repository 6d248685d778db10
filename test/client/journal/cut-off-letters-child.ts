/** A process with a limit on the size of its files. It writes too many dead letters, and then one for which there is room. */
import * as fs from 'node:fs';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DeadLetterFiles, deadLettersOf, letterOf } from '../../../src/client/journal/dead-letter-file.js';

const [journal = ''] = process.argv.slice(2);
const files = new DeadLetterFiles(fs, journal, 'owner', { maxDeadLetters: 100_000, maxDeadLetterAge: 60_000 });
const file = join(deadLettersOf(journal), 'owner-000001.batch');

/** Returns the error of a write that exceeds the limit, and the size of the file before and after. */
function outgrow(path: string, act: () => void) {
  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  try {
    act();
    return { code: 'none', before, after: size() };
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code, before, after: size() };
  }
}

const letter = (message: unknown): string => letterOf({ at: 'then', code: 'NO', error: 'no' }, JSON.stringify(message));

files.append([letter(0)], Date.now());
const tooMany = Array<string>(100).fill(letter('x'.repeat(100)));
const letters = outgrow(file, () => files.append(tooMany, Date.now()));
files.append([letter('after')], Date.now());
process.stdout.write(JSON.stringify(letters));
