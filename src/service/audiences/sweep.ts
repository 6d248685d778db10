import type { Shelf } from '../storage/shelf.js';
import { foundIn } from './holding.js';
import { AUDIENCES, STAGED } from './keys.js';

// Behind every place, all of which are printable ASCII.
const BEHIND_ALL = '\u007f';

/**
 * Removes what was staged for a change that is no more. It is seen on the shelf before the record is read: a change that is not
 * under way then was given up or done, for it had begun and its id never comes again.
 */
export async function sweepStaged(shelf: Shelf): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const [entry] = await shelf.list(STAGED, after, 1);
    if (entry === undefined) return;
    const [trait = '', sync = ''] = entry.key.slice(STAGED.length).split('/');
    const [text] = await shelf.get([AUDIENCES + trait]);
    const prefix = `${STAGED}${trait}/${sync}/`;
    if (foundIn(text).record?.sync?.id !== sync) await shelf.removeAll(prefix);
    after = prefix + BEHIND_ALL;
  }
}
