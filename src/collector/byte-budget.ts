/** Bounds the bytes of bodies that are held at once, from their arrival until they are answered. */
export class ByteBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  fits(bytes: number): boolean {
    return this.#used + bytes <= this.#limit;
  }

  open(): Lease {
    let held = 0;
    return {
      take: (bytes) => {
        if (!this.fits(bytes)) return false;
        held += bytes;
        this.#used += bytes;
        return true;
      },
      release: () => {
        this.#used -= held;
        held = 0;
      },
    };
  }
}

/** One request's part of the budget. */
export interface Lease {
  /** Says whether there was room. */
  take(bytes: number): boolean;
  release(): void;
}
