/** Makes unique names of types: `order completed!` becomes `OrderCompleted`. */
export class TypeNames {
  readonly #taken = new Set<string>();

  /** @param reserved names that the file uses itself */
  constructor(reserved: readonly string[]) {
    for (const name of reserved) this.#taken.add(name);
  }

  of(text: string): string {
    const plain = pascalCase(text);
    let name = plain;
    for (let number = 2; this.#taken.has(name); number++) name = `${plain}${number}`;
    this.#taken.add(name);
    return name;
  }
}

function pascalCase(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{L}/u.test(name) ? name : `Event${name}`;
}

/** Writes the name of a property, in quotes if it needs them. */
export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
