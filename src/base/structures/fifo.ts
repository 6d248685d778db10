interface Node<T> {
  readonly value: T;
  next: Node<T> | undefined;
}

/** A queue: values are added at one end and removed at the other, each in constant time. */
export class Fifo<T> {
  #head: Node<T> | undefined;
  #tail: Node<T> | undefined;

  get first(): T | undefined {
    return this.#head?.value;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let node = this.#head; node !== undefined; node = node.next) yield node.value;
  }

  push(value: T): void {
    const node: Node<T> = { value, next: undefined };
    if (this.#tail === undefined) this.#head = node;
    else this.#tail.next = node;
    this.#tail = node;
  }

  shift(): T | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#head = head.next;
    // A node in the old generation would otherwise keep all later nodes alive through young garbage collections.
    head.next = undefined;
    if (this.#head === undefined) this.#tail = undefined;
    return head.value;
  }
}
