/**
 * Any object that JSON writes as an object: a literal, a value of an interface or a type parameter, or a class instance.
 * Functions and iterable objects, such as an array, a `Map` or a `Set`, are excluded.
 */
export type AnyObject = { [key: string]: unknown } | (object & NoListNorFunction);

/** An object with these typed fields, and any others. */
export type With<Known> = (Known & { [key: string]: unknown }) | (Known & object & NoListNorFunction);

interface NoListNorFunction {
  [Symbol.iterator]?: never;
  [Symbol.hasInstance]?: never;
}
