/**
 * Returns a function that makes unique names of types: `order completed!` becomes `OrderCompleted`. It never returns a name in
 * `reserved`.
 */
export function typeNames(reserved: readonly string[]): (text: string) => string {
  const taken = new Set(reserved);
  return (text) => {
    const plain = pascalCase(text);
    let name = plain;
    for (let number = 2; taken.has(name); number++) name = `${plain}${number}`;
    taken.add(name);
    return name;
  };
}

function pascalCase(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{L}/u.test(name) ? name : `Event${name}`;
}

/** Writes the name of a property, in quotes if it needs them. */
export const propertyKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
