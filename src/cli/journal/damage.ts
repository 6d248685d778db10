import { plural } from '../../base/text/plural.js';
import type { JournalDamage } from '../../client/journal/inspect-journal.js';
import type { Terminal } from '../terminal/terminal.js';

/** Collects the messages of a journal that a command could not read. */
export class DamageFound {
  /** The first damaged message in each file, and the number of them. */
  readonly #files = new Map<string, { readonly first: JournalDamage; count: number }>();
  count = 0;

  readonly add = (damage: JournalDamage): void => {
    const key = `${damage.of} ${damage.path}`;
    const known = this.#files.get(key);
    if (known === undefined) this.#files.set(key, { first: damage, count: 1 });
    else known.count++;
    this.count++;
  };

  /** Prints the number of damaged messages in each file, and the place of the first one. */
  tell(terminal: Terminal): void {
    for (const { first, count } of this.#files.values()) {
      const { of, path, at } = first;
      const what = plural(count, of === 'dead' ? 'dead letter' : 'waiting message');
      const place = at === undefined ? `its file is not in ${path} any more` : `byte ${at} of ${path}`;
      terminal.note(`journal: ${what} cannot be read: ${place}`, { damaged: count, of, path, at });
    }
  }
}
