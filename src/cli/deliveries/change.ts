import { formatCount, plural } from '../../base/text/plural.js';
import { systemClock } from '../../base/time/clock.js';
import type { BulkOptions, BulkProgress } from '../../destination/changes/bulk.js';
import { deadLetters } from '../../destination/changes/dead-letters.js';
import type { DiscardFilter } from '../../destination/changes/delivery-filter.js';
import type { ReplayTo } from '../../destination/changes/letter-changes.js';
import { waitingDeliveries } from '../../destination/changes/waiting-deliveries.js';
import { KnownWebhooks } from '../../destination/endpoints/known-webhooks.js';
import { storedLetters } from '../../destination/endpoints/stored-explanation.js';
import { hasToName } from '../../service/config/has-to-name.js';
import { CliError, refuseUnused } from '../cli-error.js';
import { mayRemove, type RemovalOptions } from '../terminal/confirm.js';
import { showProgress } from '../terminal/progress-bar.js';
import type { Terminal } from '../terminal/terminal.js';
import { type FoundDestination, inspecting, type StoreOptions } from './folder.js';

export interface ChangeDeliveriesOptions
  extends StoreOptions,
    Pick<DiscardFilter, 'type' | 'user' | 'reason' | 'from' | 'to'>,
    Pick<BulkOptions, 'rate' | 'after'>,
    ReplayTo {
  readonly messageId?: string | undefined;
  readonly webhook?: string | undefined;
  readonly all?: boolean | undefined;
  /** Select waiting deliveries instead of dead letters. @default false */
  readonly waiting?: boolean | undefined;
}

const RESULTS = {
  replay: { field: 'replayed', text: 'will be sent again when a destination opens the store' },
  discard: { field: 'discarded', text: 'discarded' },
};

/** Marks dead letters to be sent when a destination next opens the store. */
export const replayDeliveries = (path: string, options: ChangeDeliveriesOptions, terminal: Terminal): Promise<void> =>
  changeDeliveries('replay', path, options, terminal);

/** Deletes dead letters or waiting deliveries for good if an option or the user at the terminal confirms it. */
export async function discardIfSure(
  path: string,
  options: ChangeDeliveriesOptions & RemovalOptions,
  terminal: Terminal,
): Promise<void> {
  const isSure = await mayRemove(options, ['Discard', 'discarded'], () => countMeant(path, options), terminal);
  if (isSure) await changeDeliveries('discard', path, options, terminal);
}

function changeDeliveries(
  act: 'replay' | 'discard',
  path: string,
  options: ChangeDeliveriesOptions,
  terminal: Terminal,
): Promise<void> {
  const filter = filterOf(options);
  const { rate, after, sendTo } = options;
  return inspecting(path, options, { isChanging: true }, async (found) => {
    checkFound(found, options);
    let count = 0;
    for (const { name, store } of found) {
      const known = await KnownWebhooks.of(store);
      const letters = storedLetters(store, systemClock());
      const { onProgress, end } = showBulk(terminal, count, name);
      const bulk = { rate, after, onProgress };
      const changed =
        act === 'replay'
          ? letters.replay(known, filter, { ...bulk, sendTo })
          : letters.discard(known, { ...filter, state: options.waiting ? 'waiting' : 'dead' }, bulk);
      count += await changed.finally(end);
    }
    const { field, text } = RESULTS[act];
    terminal.print(`${plural(count, 'delivery')} ${text}`, { [field]: count });
  });
}

/** Counts the deliveries that a discard would remove. */
async function countMeant(path: string, options: ChangeDeliveriesOptions): Promise<{ text: string; record: object }> {
  const filter = filterOf(options);
  let count = 0;
  await inspecting(path, options, { isChanging: false }, async (found) => {
    checkFound(found, options);
    for (const { store } of found) {
      const meant = options.waiting ? waitingDeliveries(store, filter) : deadLetters(store, filter);
      for await (const _ of meant) count++;
    }
  });
  return { text: plural(count, 'delivery'), record: { discarded: count } };
}

/** @throws CliError if no option selects any deliveries */
function filterOf(options: ChangeDeliveriesOptions): Omit<DiscardFilter, 'state'> {
  const { messageId: id, webhook: endpoint, type, user, reason, from, to } = options;
  const filter = { id, endpoint, type, user, reason, from, to };
  if (options.waiting)
    refuseUnused({ '--reason': reason }, 'cannot be combined with --waiting, because waiting events have no reason');
  if (options.all || Object.values(filter).some((value) => value !== undefined)) return filter;
  throw new CliError('no filter; give --message-id, --webhook, --type, --user, --reason, --from or --to, or --all');
}

/**
 * Shows the progress until `end` is called, with the cursor from which another run can continue if this one is killed.
 *
 * @param before the number of deliveries changed earlier, at other destinations
 */
export function showBulk(terminal: Terminal, before: number, destination: string | undefined) {
  const startedAt = performance.now();
  let now: BulkProgress | undefined;
  const end = showProgress(terminal, () => {
    const { deliveries = 0, events = 0, cursor } = now ?? {};
    const perSecond = Math.round(deliveries / ((performance.now() - startedAt) / 1_000)) || 0;
    const counts = `${plural(before + deliveries, 'delivery')}  ${formatCount(perSecond)} per second`;
    const text = cursor === undefined ? counts : `${counts}  --after ${cursor}`;
    const record = { destination, deliveries: before + deliveries, events, perSecond, cursor };
    return { done: before + deliveries, total: undefined, text, record };
  });
  const onProgress = (progress: BulkProgress): void => {
    now = progress;
  };
  return { onProgress, end };
}

/** Requires a named destination for a cursor or a webhook, and for a change of very many destinations. */
function checkFound(found: readonly FoundDestination[], { destination, after, sendTo }: ChangeDeliveriesOptions): void {
  if (destination === undefined && hasToName(found.length))
    throw new CliError(`the store has ${found.length} destinations; give --destination NAME, or --destination all`);
  const option = after !== undefined ? '--after' : sendTo !== undefined ? '--send-to' : undefined;
  if (option === undefined || found.length <= 1) return;
  throw new CliError(`${option} belongs to one destination; give --destination NAME`);
}
