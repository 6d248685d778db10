/** A process whose files may not grow for ever: writes dead letters, too many, and again what there is room for. */
import { statSync } from 'node:fs';
import { DeadLetterFiles, deadLetterFilesIn, deadLettersOf } from '../../../src/client/journal/dead-letter-file.js';

const [journal = ''] = process.argv.slice(2);
const files = new DeadLetterFiles(journal, 'owner', { maxDeadLetters: 100_000, maxDeadLetterAge: 60_000 });
const size = (): number => statSync(deadLetterFilesIn(deadLettersOf(journal))[0] ?? '').size;

files.append(['{"message":0}'], Date.now());
const before = size();
let code: unknown;
try {
  files.append(Array<string>(100).fill(JSON.stringify({ message: 'x'.repeat(100) })), Date.now());
} catch (error) {
  code = (error as NodeJS.ErrnoException).code;
}
const after = size();
files.append(['{"message":"after"}'], Date.now());
process.stdout.write(JSON.stringify({ code, before, after }));
