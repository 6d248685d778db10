import { plural } from '../../base/text/plural.js';
import { EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { DamageFound } from './damage.js';
import { checkJournal, journaledIn, userWhoMayRead } from './found.js';

/** Counts the messages in a journal and prints the counts. */
export async function journalStats(path: string, terminal: Terminal): Promise<number> {
  checkJournal(path);
  const counts = { owned: 0, left: 0, dead: 0 };
  let unknown = 0;
  const damage = new DamageFound();
  for await (const found of journaledIn(path, { waiting: true, dead: true }, damage.add)) {
    if (found.state === 'dead') counts.dead++;
    else if (found.owner === 'hidden') unknown++;
    else counts[found.owner === 'ended' ? 'left' : 'owned']++;
  }
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
