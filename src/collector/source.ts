import type { JsonObject } from '../protocol/is.js';

/** Where messages come from: a website, an app, a server. Ids are unique within a source. */
export interface Source {
  readonly name: string;
}

/** A source and the key its clients send. Two entries of one name are one source with two keys. */
export interface SourceWithKey extends Source {
  readonly writeKey: string;
}

/** The source a write key belongs to, or nothing. */
export type FindSource = (writeKey: string) => Source | undefined | null | Promise<Source | undefined | null>;

/** Looks keys up in a list. Hands on the entry without its key, so that a program may log it. */
export function findInList(entries: readonly SourceWithKey[]): FindSource {
  const sources = new Map(entries.map(({ writeKey, ...source }) => [writeKey, source] as const));
  return (writeKey) => sources.get(writeKey);
}

export const namedByPosition = (writeKeys: readonly string[]): SourceWithKey[] =>
  writeKeys.map((writeKey, index) => ({ name: `source-${index + 1}`, writeKey }));

const BASIC = /^basic +([A-Za-z0-9+/_=-]+) *$/i;

/**
 * The write key of an Authorization header: the user name of Basic authentication (RFC 7617). Nothing when there is no
 * such header or no name in it, which leaves the key to the body.
 */
export function keyOfAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const encoded = BASIC.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const [name] = Buffer.from(encoded, 'base64').toString().split(':', 1);
  return name === '' ? undefined : name;
}

/** The key is the sender's credential and no part of the message, so it is not handed on with it. */
export function takeWriteKey(body: JsonObject): string | undefined {
  const writeKey = body['writeKey'];
  if (writeKey === undefined) return undefined;
  delete body['writeKey'];
  return typeof writeKey === 'string' ? writeKey : undefined;
}
