import { createHash } from 'node:crypto';
import { groupPath, type Violation } from '../../plan/violation.js';
import { isRecord } from '../../protocol/plain.js';
import type { ViolationReport } from '../api/history-answers.js';
import { iso } from '../api/iso.js';
import { eventName } from './counts.js';
import { ExampleCounts, type ExampleCountsOptions } from './example-counts.js';
import { shownRaw } from './shown-raw.js';

/** The outcome of a message that violates the plan of its source. */
export type ViolationOutcome = ViolationReport['outcome'];

/** The violations of one kind at one source, counted for the metrics. */
export interface ViolationCount {
  readonly source: string;
  readonly reason: string;
  readonly outcome: ViolationOutcome;
  count: number;
}

/** The maximum number of kinds per source; the rest are counted together, because a source may send any names. */
const MOST_KINDS = 100;
const OTHER = '(other)';

/** How much of a message is kept, in characters. */
const LONGEST_RAW = 2_048;

/** The longest path that is kept. */
const LONGEST_PATH = 200;

type Kind = Pick<ViolationReport, 'type' | 'event' | 'path' | 'reason' | 'outcome'>;
type Example = Kind & { readonly example: ViolationReport['example'] };

/** Counts messages that violate the tracking plan of their source, and keeps the latest example of each kind. */
export class Violations {
  readonly counts: ExampleCounts<Example>;
  readonly #kinds = new Map<string, Set<string>>();
  readonly #totals = new Map<string, ViolationCount>();

  constructor(options: ExampleCountsOptions) {
    this.counts = new ExampleCounts('violations/', options);
  }

  add(source: string, violation: Violation, message: object, outcome: ViolationOutcome): void {
    this.#total(source, violation.reason, outcome).count++;
    const kind = this.#bounded(source, kindOf(violation, outcome));
    this.counts.add(source, idOf(kind), () => {
      const raw = shownRaw(JSON.stringify(message), LONGEST_RAW);
      return { ...kind, example: { ...violation.explain(), raw, client: clientOf(message) } };
    });
  }

  /** Reads the counts of all processes in the last week. The kind that was counted last comes first. */
  async of(source: string): Promise<ViolationReport[]> {
    return (await this.counts.of(source)).map(({ count, lastAt, example: { example, ...kind } }) => ({
      ...kind,
      count,
      lastAt: iso(lastAt),
      example,
    }));
  }

  /** Returns the counts since the start of the process. The reasons are keywords of JSON Schema, so there are few. */
  totals(): Iterable<ViolationCount> {
    return this.#totals.values();
  }

  #total(source: string, reason: string, outcome: ViolationOutcome): ViolationCount {
    const key = `${source}/${reason}/${outcome}`;
    const found = this.#totals.get(key);
    if (found !== undefined) return found;
    const total = { source, reason, outcome, count: 0 };
    this.#totals.set(key, total);
    return total;
  }

  #bounded(source: string, kind: Kind): Kind {
    const known = this.#kinds.get(source) ?? new Set();
    this.#kinds.set(source, known);
    const id = idOf(kind);
    if (known.has(id)) return kind;
    if (known.size >= MOST_KINDS) return { ...kind, event: OTHER, path: OTHER };
    known.add(id);
    return kind;
  }
}

const kindOf = ({ type, event, path, reason }: Violation, outcome: ViolationOutcome): Kind => ({
  type,
  event: event === undefined ? null : eventName(event),
  path: groupPath(path).slice(0, LONGEST_PATH),
  reason,
  outcome,
});

/** Returns a short name for a key, because a kind may contain long names with any character. */
const idOf = (kind: Kind): string => createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16);

/** Returns the name of the program that sent a message, as the program gives it. */
function clientOf(message: object): string {
  const { context } = message as { readonly context?: unknown };
  const library = isRecord(context) && isRecord(context['library']) ? context['library'] : {};
  const { name, version } = library;
  return typeof name !== 'string' ? '' : `${name}${typeof version === 'string' ? `/${version}` : ''}`.slice(0, 100);
}
