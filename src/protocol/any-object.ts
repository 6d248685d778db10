/**
 * Any object that JSON writes as an object: a literal, a value of an interface or a type parameter, an instance of a class.
 * Iterable objects, such as an array, a `Map` or a `Set`, and functions are excluded.
 */
export type AnyObject = { [key: string]: unknown } | (object & NoListNorFunction);

/** An object with these typed fields, and any others. */
export type With<Known> = (Known & { [key: string]: unknown }) | (Known & object & NoListNorFunction);

interface NoListNorFunction {
  [Symbol.iterator]?: never;
  [Symbol.hasInstance]?: never;
}
