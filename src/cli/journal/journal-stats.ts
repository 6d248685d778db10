import { plural } from '../../base/text/plural.js';
import { deadIn, waitingIn } from '../../client/journal/inspect-journal.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { DamageFound } from './damage.js';
import { checkJournal, userWhoMayRead } from './found.js';

/** Counts the messages in a journal and prints the counts. */
export async function journalStats(path: string, terminal: Terminal): Promise<number> {
  checkJournal(path);
  const counts = { owned: 0, left: 0, dead: 0 };
  let unknown = 0;
  const damage = new DamageFound();
  for await (const { owner } of waitingIn(path, damage.add)) {
    if (owner === 'hidden') unknown++;
    else counts[owner === 'ended' ? 'left' : 'owned']++;
  }
  for (const _ of deadIn(path, damage.add)) counts.dead++;
  const lines = [
    `${plural(counts.owned, 'message')} of living processes`,
    `${plural(counts.left, 'message')} of processes that have ended`,
    `${plural(counts.dead, 'dead letter')}`,
  ];
  terminal.print(lines.join('\n'), { ...counts, damaged: damage.count, ...(unknown > 0 && { unknown }) });
  if (unknown > 0) {
    const text = `${plural(unknown, 'message')} of processes of which this user cannot tell whether they live`;
    terminal.note(`journal: ${text}; ${userWhoMayRead(path)}`, { unknown });
  }
  damage.tell(terminal);
  return EXIT.ok;
}
