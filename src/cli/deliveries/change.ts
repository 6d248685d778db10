import { plural } from '../../base/text/plural.js';
import type { BulkOptions } from '../../destination/bulk.js';
import type { DeadLetterFilter } from '../../destination/dead-letters.js';
import type { ReplayTo } from '../../destination/letter-changes.js';
import { CliError, EXIT } from '../cli-error.js';
import type { Terminal } from '../terminal.js';
import { type Found, inspecting, type StoreOptions } from './folder.js';
import { showProgress } from './progress.js';

export interface ChangeDeliveriesOptions
  extends StoreOptions,
    Pick<DeadLetterFilter, 'type' | 'user' | 'reason' | 'from' | 'to'>,
    Pick<BulkOptions, 'rate' | 'after'>,
    ReplayTo {
  readonly messageId?: string | undefined;
  readonly webhook?: string | undefined;
  readonly all?: boolean | undefined;
}

/** Marks dead letters to be sent when a destination next opens the store. */
export function replayDeliveries(options: ChangeDeliveriesOptions, terminal: Terminal): Promise<number> {
  return changing('replay', options, terminal, (count) =>
    terminal.print(`${plural(count, 'delivery')} will be sent again when a destination opens the store`, {
      replayed: count,
    }),
  );
}

/** Removes dead letters for good. */
export function discardDeliveries(options: ChangeDeliveriesOptions, terminal: Terminal): Promise<number> {
  return changing('discard', options, terminal, (count) =>
    terminal.print(`${plural(count, 'delivery')} discarded`, { discarded: count }),
  );
}

function changing(
  act: 'replay' | 'discard',
  options: ChangeDeliveriesOptions,
  terminal: Terminal,
  done: (count: number) => void,
): Promise<number> {
  const { messageId: id, webhook: endpoint, type, user, reason, from, to, rate, after, sendTo } = options;
  const filter = { id, endpoint, type, user, reason, from, to };
  if (!options.all && Object.values(filter).every((value) => value === undefined)) {
    throw new CliError('no filter; give --message-id, --webhook, --type, --user, --reason, --from or --to, or --all');
  }
  return inspecting(options, { isChanging: true }, async (found) => {
    checkSingle(found, options);
    let count = 0;
    for (const { name, inspector } of found) {
      const bar = showProgress(terminal, { before: count, destination: name });
      count += await inspector[act](filter, { rate, after, sendTo, onProgress: bar.onProgress }).finally(() =>
        bar.end(),
      );
    }
    done(count);
    return EXIT.ok;
  });
}

/** A cursor and a webhook belong to one destination. */
function checkSingle(found: readonly Found[], { after, sendTo }: ChangeDeliveriesOptions): void {
  const option = after !== undefined ? '--after' : sendTo !== undefined ? '--send-to' : undefined;
  if (option === undefined || found.length <= 1) return;
  throw new CliError(`${option} belongs to one destination; give --destination NAME`);
}
