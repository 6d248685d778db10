import type { Inspect } from './common.js';

export interface KnownPageProperties {
  /** The complete URL: `https://example.com/pricing?plan=pro`. */
  url?: string | null | undefined;
  title?: string | null | undefined;
  /** The URL of the page from which the user came. */
  referrer?: string | null | undefined;
  /** The path of the URL: `/pricing`. */
  path?: string | null | undefined;
}

/** The properties of a page in the form that a message has. */
export interface PageProperties extends KnownPageProperties {
  [key: string]: unknown;
}

/** A page that was read from a call, and may use another name for its properties. */
interface PageCall {
  properties?: unknown;
  traits?: unknown;
}

export const mistakeInNames: Inspect = (page) => {
  const { properties, traits } = page as PageCall;
  if (properties == null || traits == null) return undefined;
  return { path: ['traits'], expected: 'either properties or traits, which are the same' };
};

/** Sends `traits` as `properties`. */
export function takeOtherName(page: PageCall): void {
  page.properties ??= page.traits;
  page.traits = undefined;
}
