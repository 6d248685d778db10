import type { Inspect } from './mistake.js';

export interface KnownPageProperties {
  /** The whole address: `https://example.com/pricing?plan=pro`. */
  url?: string | null | undefined;
  title?: string | null | undefined;
  /** The address the user came from. */
  referrer?: string | null | undefined;
  /** The path of the address: `/pricing`. */
  path?: string | null | undefined;
}

/** The properties of a page, as a message has them. */
export interface PageProperties extends KnownPageProperties {
  [key: string]: unknown;
}

/** A page that was read from a call, which may have another name for its properties. */
interface Named {
  properties?: unknown;
  traits?: unknown;
}

export const namesPropertiesOnce = ({ properties, traits }: Named): boolean => properties == null || traits == null;

export const mistakeInNames: Inspect = (page) =>
  namesPropertiesOnce(page as Named)
    ? undefined
    : { path: ['traits'], expected: 'either properties or traits, which are the same' };

/** Sends `traits` as `properties`. */
export function takeOtherName(page: Named): void {
  page.properties ??= page.traits;
  page.traits = undefined;
}
