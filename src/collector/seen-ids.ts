interface Generation {
  readonly sources: Map<string, Set<string>>;
  readonly sinceMs: number;
  count: number;
}

/**
 * Remembers ids for at least `windowMs` (and less than twice that), but never more than `maxIds` of them: when those are
 * too many, the older half is forgotten at once. An id is forgotten in no other way.
 */
export class SeenIds {
  readonly #windowMs: number;
  readonly #maxPerGeneration: number;
  #current: Generation;
  #previous: Generation;

  constructor({ windowMs, maxIds, nowMs }: { windowMs: number; maxIds: number; nowMs: number }) {
    this.#windowMs = windowMs;
    this.#maxPerGeneration = Math.floor(maxIds / 2);
    this.#current = generation(nowMs);
    this.#previous = generation(nowMs);
  }

  get size(): number {
    return this.#current.count + this.#previous.count;
  }

  has(source: string, id: string, nowMs: number): boolean {
    this.#age(nowMs);
    return holds(this.#current, source, id) || (this.#previous.count > 0 && holds(this.#previous, source, id));
  }

  add(source: string, id: string, nowMs: number): void {
    this.#age(nowMs);
    if (this.#current.count >= this.#maxPerGeneration) this.#turn(nowMs);
    const { sources } = this.#current;
    const ids = sources.get(source);
    if (ids === undefined) sources.set(source, new Set([id]));
    else if (ids.has(id)) return;
    else ids.add(id);
    this.#current.count++;
  }

  #age(nowMs: number): void {
    const { sinceMs } = this.#current;
    const ageMs = nowMs - sinceMs;
    if (ageMs < this.#windowMs) return;
    const isPast = ageMs >= 2 * this.#windowMs;
    // Counted from when the turn was due, not from when the next call came.
    this.#turn(isPast ? nowMs : sinceMs + this.#windowMs);
    if (isPast) this.#previous = generation(nowMs);
  }

  #turn(sinceMs: number): void {
    this.#previous = this.#current;
    this.#current = generation(sinceMs);
  }
}

const generation = (nowMs: number): Generation => ({ sources: new Map(), sinceMs: nowMs, count: 0 });

const holds = ({ sources }: Generation, source: string, id: string): boolean => sources.get(source)?.has(id) === true;
