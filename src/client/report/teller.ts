import { type EventferryError, RejectedError } from '../../base/errors/errors.js';
import { after } from '../../base/platform/node.js';
import type { Clock } from '../../base/time/clock.js';
import { Repeats, textOfFailures, type WriteLine } from '../../base/time/repeats.js';
import type { LossTotals } from '../ending/loss-totals.js';
import type { ClientLog } from './create-log.js';

/** The members of a log that the teller uses. */
type Lines = Pick<ClientLog, 'hasReader' | 'warn' | 'error'>;

export interface TellerOptions {
  readonly clock: Clock;
  /** True if process warnings are allowed. */
  readonly warnings: boolean;
}

/** Emits a process warning, once for each kind of loss. `advice` says how to receive each event. */
export type WarnProcess = (text: string, code: string, advice: string) => void;

/** Reports problems to the log, and to the process if nothing else receives them. */
export class Teller {
  readonly #log: Lines;
  readonly #isSilent: boolean;
  readonly #repeats: Repeats;
  readonly #warnProcess: WarnProcess;
  readonly #totals: LossTotals;
  readonly #warnedOf = new Set<string>();

  constructor(log: Lines, { clock, warnings }: TellerOptions, warnProcess: WarnProcess, totals: LossTotals) {
    this.#log = log;
    this.#isSilent = log.hasReader || !warnings;
    this.#repeats = new Repeats(clock);
    this.#warnProcess = warnProcess;
    this.#totals = totals;
  }

  /** @param isHeard true if a listener received it, or if the caller calls `unheard` when none did */
  tell(event: 'lost' | 'violation', messages: number, error: EventferryError, isHeard = true): void {
    this.#repeats.note(kindOf(event, error), messages, (count, more) =>
      this.#log[event === 'lost' ? 'error' : 'warn'](textOf(event, count, error, more), {
        code: error.code,
        messages: count,
        error,
      }),
    );
    if (!isHeard) this.unheard(event, messages, error);
  }

  /** Emits a process warning for an event that no listener received, unless there is a logger. */
  unheard(event: 'lost' | 'violation', messages: number, error: EventferryError): void {
    if (this.#isSilent) return;
    const kind = kindOf(event, error);
    if (event === 'lost') this.#warnOfLoss(kind, messages, error);
    else if (this.#isFirst(kind)) this.#warnProcess(textOf(event, messages, error), error.code, adviceOn(event));
  }

  /** Writes the first line of a kind at once, and a summary of those that followed once a minute. */
  repeat(kind: string, write: WriteLine): void {
    if (this.#log.hasReader) this.#repeats.note(kind, 1, write);
    else write(1, '');
  }

  /** A listener threw or rejected. All such failures count as one kind, because one mistake may fail at every event. */
  listenerFailed(error: unknown): void {
    this.#repeats.note('listener', 1, (failures, more) => {
      const text = textOfFailures(failures, more, error);
      this.#log.error(text, { error });
      if (!this.#isSilent) this.#warnProcess(text, 'EVENTFERRY_LISTENER', 'once a minute');
    });
  }

  /** Writes the pending summaries, because no more will come. */
  tellRest(): void {
    this.#repeats.tellRest();
  }

  /** Warns a little later, so that the warning covers all losses of one turn: a full queue refuses message by message. */
  #warnOfLoss(kind: string, messages: number, error: EventferryError): void {
    this.#totals.note(kind, messages, saidOf(error));
    if (!this.#isFirst(kind)) return;
    after(0, () => {
      const untold = this.#totals.takeUntold(kind);
      if (untold > 0) this.#warnProcess(textOf('lost', untold, error), error.code, adviceOn('lost'));
    });
  }

  #isFirst(kind: string): boolean {
    if (this.#warnedOf.has(kind)) return false;
    this.#warnedOf.add(kind);
    return true;
  }
}

const kindOf = (event: string, error: EventferryError): string =>
  `${event} ${error.code}${error instanceof RejectedError ? ` ${error.status}` : ''}`;

const adviceOn = (event: string): string => `listen to \`${event}\` or give a \`logger\` to hear of each`;

const saidOf = (error: EventferryError): string => `${error.message} (${error.code})`;

function textOf(event: 'lost' | 'violation', messages: number, error: EventferryError, more = ''): string {
  const said = saidOf(error);
  const many = `${messages}${more} ${messages === 1 ? 'message' : 'messages'}`;
  if (event === 'lost') return `lost ${many}: ${said}`;
  return more === '' ? said : `${many} like this one: ${said}`;
}
