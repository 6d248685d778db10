import type { KnownWebhook } from '../../store/webhook-list.js';

/** The fields of a configured webhook that identify it. */
export interface GivenWebhook {
  readonly url: string;
  readonly id?: string | undefined;
}

/** How many webhooks are remembered after they left the configuration. */
const MOST_GONE = 100;

/**
 * Matches the webhooks in the settings with the known ones, and returns what is known from now on: the given webhooks first, in
 * their order, then those that are gone, the latest first.
 *
 * Webhooks with the same `id` are the same; after that, those with the same URL are matched. Of the remaining ones, a webhook
 * without an `id` has moved to a new URL if the new one stands between the same neighbours in the list, or if exactly one is gone
 * and one is new. If fewer are new than gone between two neighbours, none of them is matched, because the deliveries for one
 * customer could go to the URL of another.
 *
 * @param unplaced the URLs for which deliveries wait in a store that has no record of webhooks; their order means nothing
 * @param wasRemoved whether the destination was missing from the configuration for a while. If none of the given URLs is known
 * then, it is a different destination of the same name.
 */
export function recognizeWebhooks(
  known: readonly KnownWebhook[] | undefined,
  given: readonly GivenWebhook[],
  unplaced: readonly string[],
  wasRemoved = false,
): readonly KnownWebhook[] {
  const all: readonly KnownWebhook[] = known ?? unplaced.map((url) => ({ key: url, url }));
  const isAnother = wasRemoved && !all.some(({ url }) => given.some((one) => one.url === url));
  const before = isAnother ? all.map((one) => ({ ...one, isGone: true, isOfEarlier: true }) as const) : all;
  const match = new Match(before, given);
  match.byId();
  match.byUrl(false);
  if (known !== undefined) match.byPlace();
  match.byElimination();
  match.byUrl(true);
  const next = match.result();
  return known !== undefined && JSON.stringify(next) === JSON.stringify(known) ? known : next;
}

/** Matches known and given webhooks in steps. Each step matches only what the steps before it left over. */
class Match {
  readonly #before: readonly KnownWebhook[];
  readonly #configured: readonly KnownWebhook[];
  readonly #given: readonly GivenWebhook[];
  readonly #found = new Map<GivenWebhook, KnownWebhook>();
  readonly #taken = new Set<KnownWebhook>();

  constructor(before: readonly KnownWebhook[], given: readonly GivenWebhook[]) {
    this.#before = before;
    this.#configured = before.filter(({ isGone }) => isGone !== true);
    this.#given = given;
  }

  byId(): void {
    for (const one of this.#given) {
      const isIt = ({ id, isOfEarlier }: KnownWebhook): boolean => id === one.id && isOfEarlier !== true;
      const known = one.id === undefined ? undefined : this.#before.find(isIt);
      if (known !== undefined) this.#take(one, known);
    }
  }

  byUrl(isGone: boolean): void {
    for (const one of this.#new()) {
      const isIt = (known: KnownWebhook): boolean => known.url === one.url && (known.isGone === true) === isGone;
      const known = this.#before.find((other) => isIt(other) && !this.#taken.has(other));
      if (known !== undefined) this.#take(one, known);
    }
  }

  /** If there are now more webhooks between two neighbours than before, the first ones are taken to be the known ones. */
  byPlace(): void {
    const gone = runsOf(this.#configured, (known) => (this.#taken.has(known) ? known : undefined));
    const come = runsOf(this.#given, (one) => this.#neighbour(one));
    for (const [place, left] of gone) {
      const candidates = come.get(place) ?? [];
      if (candidates.length < left.length) continue;
      for (const [index, known] of left.entries()) {
        const one = candidates[index];
        if (one !== undefined && mayMove(known)) this.#take(one, known);
      }
    }
  }

  byElimination(): void {
    const [known, ...moreGone] = this.#configured.filter((one) => !this.#taken.has(one) && mayMove(one));
    const [one, ...moreNew] = this.#new();
    if (known !== undefined && one !== undefined && moreGone.length + moreNew.length === 0) this.#take(one, known);
  }

  result(): readonly KnownWebhook[] {
    const keys = new Set(this.#before.map(({ key }) => key));
    const now = this.#given.map((one) => entryOf(this.#found.get(one)?.key ?? freshKey(one.url, keys), one));
    const left = [...this.#configured, ...this.#before.filter(({ isGone }) => isGone)].filter(
      (known) => !this.#taken.has(known),
    );
    return [...now, ...left.slice(0, MOST_GONE).map((known) => ({ ...known, isGone: true as const }))];
  }

  #new(): GivenWebhook[] {
    return this.#given.filter((one) => !this.#found.has(one));
  }

  #take(one: GivenWebhook, known: KnownWebhook): void {
    this.#found.set(one, known);
    this.#taken.add(known);
  }

  /** A webhook that comes back after it was gone has no earlier place in the list. */
  #neighbour(one: GivenWebhook): KnownWebhook | 'back' | undefined {
    const known = this.#found.get(one);
    return known?.isGone ? 'back' : known;
  }
}

/** A webhook with an `id` is recognised by the `id` alone, so its place in the list does not matter. */
const mayMove = ({ id }: KnownWebhook): boolean => id === undefined;

/** Groups unmatched entries by their place, which is given by the matched neighbours before and after them. */
function runsOf<T>(list: readonly T[], neighbour: (one: T) => KnownWebhook | 'back' | undefined): Map<string, T[]> {
  const runs = new Map<string, T[]>();
  let run: T[] = [];
  let before = '';
  const end = (after: string): void => {
    if (run.length > 0) runs.set(JSON.stringify([before, after]), run);
    run = [];
    before = after;
  };
  for (const one of list) {
    const known = neighbour(one);
    if (known === undefined) run.push(one);
    else if (known !== 'back') end(known.key);
  }
  end('');
  return runs;
}

/** Creates an unused key by adding a fragment. Webhook URLs never have a fragment, so such a key is no other webhook's URL. */
function freshKey(url: string, taken: Set<string>): string {
  let key = url;
  for (let number = 2; taken.has(key); number++) key = `${url}#${number}`;
  taken.add(key);
  return key;
}

const entryOf = (key: string, { url, id }: GivenWebhook): KnownWebhook =>
  id === undefined ? { key, url } : { key, id, url };
