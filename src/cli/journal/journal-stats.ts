import { plural } from '../../base/text/plural.js';
import { deadIn, waitingIn } from '../../client/journal/inspect-journal.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { DamageFound } from './damage.js';
import { checkJournal } from './found.js';

/** Counts the messages in a journal and prints the counts. */
export async function journalStats(path: string, terminal: Terminal): Promise<number> {
  checkJournal(path);
  const counts = { owned: 0, left: 0, dead: 0 };
  const damage = new DamageFound();
  for await (const { owner } of waitingIn(path, damage.add)) counts[owner === 'ended' ? 'left' : 'owned']++;
  for (const _ of deadIn(path, damage.add)) counts.dead++;
  const lines = [
    `${plural(counts.owned, 'message')} of living processes`,
    `${plural(counts.left, 'message')} of processes that have ended`,
    `${plural(counts.dead, 'dead letter')}`,
  ];
  terminal.print(lines.join('\n'), { ...counts, damaged: damage.count });
  damage.tell(terminal);
  return EXIT.ok;
}
