import { OptionError, OutsideRunError } from '../../base/errors/errors.js';
import { describe } from '../../base/text/describe.js';
import { type JournalStorage, newStorage } from '../platform/node.js';
import { type Defaults, mergeDefaults, type ResolvedDefaults, resolveDefaults } from './defaults.js';
import type { Filling } from './tracker.js';

interface Run {
  /** The runs of the client that this one belongs to. */
  readonly of: Runs;
  /** The fields that calls in this run get: its own win over the outer run's, which win over the client's. */
  defaults: ResolvedDefaults;
  /** The run around this one, of any client. */
  readonly outer: Run | undefined;
}

/**
 * The innermost run of all clients, made by the first one. Clients share it, because Node never frees an `AsyncLocalStorage` that was
 * used, and visits each of them for every promise of the program.
 */
let innermost: JournalStorage<Run> | undefined;

const EXAMPLE = "run({ userId: 'u1' }, () => handle(request))";

/** The runs of one client, which fill in fields for every call inside a function, at any depth and at any time. */
export class Runs {
  readonly #client: ResolvedDefaults;

  constructor(client: ResolvedDefaults) {
    this.#client = client;
  }

  /** @throws OptionError, LoadError */
  run<T>(defaults: Defaults, act: () => T): T {
    if (typeof act !== 'function') {
      throw new OptionError(
        'client',
        'run',
        'called with a function as the second argument',
        describe(act),
        `Write ${EXAMPLE}`,
      );
    }
    const around = this.#current?.defaults ?? this.#client;
    const merged = mergeDefaults(around, resolveDefaults(defaults, EXAMPLE));
    innermost ??= newStorage<Run>();
    return innermost.run({ of: this, defaults: merged, outer: innermost.getStore() }, act);
  }

  /** @throws OptionError, OutsideRunError */
  enrich(defaults: Defaults): void {
    const own = resolveDefaults(defaults, "enrich({ userId: 'u1' })");
    const run = this.#current;
    if (run === undefined) throw new OutsideRunError();
    run.defaults = mergeDefaults(run.defaults, own);
  }

  /** Returns the fields that a call gets: a child's own win over those of the current run. */
  fill({ own, all }: Filling): ResolvedDefaults {
    const run = this.#current;
    if (run === undefined) return all;
    return own === undefined ? run.defaults : mergeDefaults(run.defaults, own);
  }

  get #current(): Run | undefined {
    let run = innermost?.getStore();
    while (run !== undefined && run.of !== this) run = run.outer;
    return run;
  }
}
