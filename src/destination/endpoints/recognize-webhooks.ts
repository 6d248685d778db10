import type { KnownWebhook } from '../../store/event-store.js';

/** A webhook of the settings, as far as it says which one it is. */
export interface GivenWebhook {
  readonly url: string;
  readonly id?: string | undefined;
}

/** The number of webhooks that are remembered after they left the configuration. */
const MOST_GONE = 100;

/**
 * Says which of the webhooks in the settings are ones that are known, and gives what is known from now on: those given first,
 * in their order, and then those that are gone, the latest first.
 *
 * The same `id` is the same webhook, and then the same URL. Of those left over, a webhook without an `id` has moved to a new
 * URL when that stands between the same neighbours in the list, or when one is gone and one is new. Where fewer are new
 * than gone, none of them is taken for another: the deliveries for one customer would go to the URL of the next.
 *
 * @param unplaced the URLs for which something waits, in a store that never put down webhooks: their order says nothing.
 * @param wasRemoved whether the destination was away for a while. Without any of its URLs, one of its name is then another destination.
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
  return isSame(next, known) ? known : next;
}

/** A matching in the making: each step takes pairs out of what the steps before it left over. */
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

  /** Where there are more than before between two neighbours, those that were there are thought to come first. */
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

  /** One that comes back after a while stood nowhere. */
  #neighbour(one: GivenWebhook): KnownWebhook | 'back' | undefined {
    const known = this.#found.get(one);
    return known?.isGone ? 'back' : known;
  }
}

/** A webhook with an `id` is known by it wherever it points. */
const mayMove = ({ id }: KnownWebhook): boolean => id === undefined;

/** Groups what is left over by its place, which is between two neighbours that are not. */
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

/** A URL has no fragment, so that what has one is no other webhook's URL. */
function freshKey(url: string, taken: Set<string>): string {
  let key = url;
  for (let number = 2; taken.has(key); number++) key = `${url}#${number}`;
  taken.add(key);
  return key;
}

const entryOf = (key: string, { url, id }: GivenWebhook): KnownWebhook =>
  id === undefined ? { key, url } : { key, id, url };

const isSame = (
  next: readonly KnownWebhook[],
  known: readonly KnownWebhook[] | undefined,
): known is readonly KnownWebhook[] => JSON.stringify(next.map(fields)) === JSON.stringify(known?.map(fields));

const fields = ({ key, id, url, isGone, isOfEarlier }: KnownWebhook) => [key, id, url, isGone, isOfEarlier];
