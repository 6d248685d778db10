/**
 * Any object that JSON writes as one: a literal, what an interface or a type parameter describes, an instance of a class.
 * No array, `Map` or `Set`, which can be gone through, and no function.
 */
export type AnyObject = { [key: string]: unknown } | (object & NoListNorFunction);

/** An object with these typed fields, and any others. */
export type With<Known> = (Known & { [key: string]: unknown }) | (Known & object & NoListNorFunction);

interface NoListNorFunction {
  [Symbol.iterator]?: never;
  [Symbol.hasInstance]?: never;
}
