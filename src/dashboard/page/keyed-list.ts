/** An element that shows an item, and can show it as it is later. */
export interface Shown<T> {
  readonly element: HTMLElement;
  show(item: T): void;
}

/** Elements for items. Each lives as long as its item, so that it keeps the focus. */
export class KeyedList<T> {
  readonly #host: HTMLElement;
  readonly #key: (item: T, index: number) => string;
  readonly #create: (item: T) => Shown<T>;
  readonly #shown = new Map<string, Shown<T>>();

  constructor(host: HTMLElement, key: (item: T, index: number) => string, create: (item: T) => Shown<T>) {
    this.#host = host;
    this.#key = key;
    this.#create = create;
  }

  show(items: readonly T[]): void {
    const keys = new Set(items.map(this.#key));
    for (const [key, { element }] of this.#shown) {
      if (keys.has(key)) continue;
      element.remove();
      this.#shown.delete(key);
    }
    for (const [index, item] of items.entries()) {
      const shown = this.#shownFor(item, index);
      shown.show(item);
      // Moves only elements out of place: an element that moves loses the focus.
      const there = this.#host.children[index];
      if (there !== shown.element) this.#host.insertBefore(shown.element, there ?? null);
    }
  }

  #shownFor(item: T, index: number): Shown<T> {
    const key = this.#key(item, index);
    const shown = this.#shown.get(key) ?? this.#create(item);
    this.#shown.set(key, shown);
    return shown;
  }
}
