import { createHash } from 'node:crypto';
import { groupPath, type PlanViolation } from '../../plan/violation.js';
import { isRecord } from '../../protocol/plain.js';
import { eventName } from '../counts/tally.js';
import { Examples, type ExamplesOptions } from './examples.js';
import { shownRaw } from './shown-raw.js';

/** The outcome of a message that violates the plan of its source. */
export type ViolationOutcome = 'blocked' | 'reported';

/** The violations of one kind at one source, counted for the metrics. */
export interface ViolationCount {
  readonly source: string;
  readonly reason: string;
  readonly outcome: ViolationOutcome;
  count: number;
}

/** Stands for the events and paths of the kinds that are counted together, because a source may send any names. */
const OTHER = '(other)';

/** How much of a message is kept, in characters. */
const LONGEST_RAW = 2_048;

/** The longest path that is kept. */
const LONGEST_PATH = 200;

/** What the violations that are counted together have in common. */
interface ViolationKind {
  readonly type: string;
  /** The name of a track event; null for the other types. */
  readonly event: string | null;
  readonly path: string;
  readonly reason: string;
  readonly outcome: ViolationOutcome;
}

/** The latest violation of a kind. */
export interface ViolationExample extends ViolationKind {
  readonly example: {
    readonly expected: string;
    readonly received: string;
    /** The message or its beginning, with `***` in place of write keys. */
    readonly raw: string;
    /** The program that sent it, according to its `context.library`. */
    readonly client: string;
  };
}

/** Counts messages that violate the tracking plan of their source, and keeps the latest example of each kind. */
export class Violations {
  readonly examples: Examples<ViolationExample>;
  /** The counts since the start of the process. The reasons are keywords of JSON Schema, so there are few. */
  readonly totals = new Map<string, ViolationCount>();

  constructor(options: ExamplesOptions) {
    this.examples = new Examples('violations/', options);
  }

  add(source: string, violation: PlanViolation, message: object, outcome: ViolationOutcome): void {
    this.#total(source, violation.reason, outcome).count++;
    const known = kindOf(violation, outcome);
    const kind = this.examples.hasRoomFor(source, idOf(known)) ? known : { ...known, event: OTHER, path: OTHER };
    this.examples.add(source, idOf(kind), () => {
      const raw = shownRaw(JSON.stringify(message), LONGEST_RAW);
      return { ...kind, example: { ...violation.explain(), raw, client: clientOf(message) } };
    });
  }

  #total(source: string, reason: string, outcome: ViolationOutcome): ViolationCount {
    const key = `${source}/${reason}/${outcome}`;
    const found = this.totals.get(key);
    if (found !== undefined) return found;
    const total = { source, reason, outcome, count: 0 };
    this.totals.set(key, total);
    return total;
  }
}

const kindOf = ({ type, event, path, reason }: PlanViolation, outcome: ViolationOutcome): ViolationKind => ({
  type,
  event: event === undefined ? null : eventName(event),
  path: groupPath(path).slice(0, LONGEST_PATH),
  reason,
  outcome,
});

/** Returns a short name for a key, because a kind may contain long names with any character. */
const idOf = (kind: ViolationKind): string =>
  createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16);

/** Returns the name of the program that sent a message, as the program gives it. */
function clientOf(message: object): string {
  const { context } = message as { readonly context?: unknown };
  const library = isRecord(context) && isRecord(context['library']) ? context['library'] : {};
  const { name, version } = library;
  return typeof name !== 'string' ? '' : `${name}${typeof version === 'string' ? `/${version}` : ''}`.slice(0, 100);
}
