import { plural } from '../../base/text/plural.js';
import type { Terminal } from '../terminal/terminal.js';
import { DamageFound } from './damage.js';
import { countIn, userWhoMayRead } from './found.js';

/** Counts the messages in a journal and prints the counts. */
export async function journalStats(path: string, _: object, terminal: Terminal): Promise<void> {
  const damage = new DamageFound();
  const counts = await countIn(path, { waiting: true, dead: true }, undefined, damage.add);
  const { living: owned, ended: left, dead, hidden: unknown } = counts;
  const lines = [
    `${plural(owned, 'message')} of living processes`,
    `${plural(left, 'message')} of processes that have ended`,
    `${plural(dead, 'dead letter')}`,
  ];
  terminal.print(lines.join('\n'), { owned, left, dead, damaged: damage.count, ...(unknown > 0 && { unknown }) });
  if (unknown > 0) {
    const text = `${plural(unknown, 'message')} of processes that this user may not check`;
    terminal.note(`journal: ${text}; ${userWhoMayRead(path)}`, { unknown });
  }
  damage.tell(terminal);
}
