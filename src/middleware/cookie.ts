import { checkOptions, flag, integer, oneOf, type Rules } from '../base/options/check-options.js';

/** The cookie that a visitor without one is given. Its path is `/`, and it is `Secure` where the request came by https. */
export interface CookieOptions {
  /** How long the browser keeps it, in seconds. @default until the browser is closed */
  maxAge?: number | undefined;
  /** The domain whose hosts get it. @default the host that was asked, alone */
  domain?: string | undefined;
  /** @default 'lax' */
  sameSite?: 'lax' | 'strict' | 'none' | undefined;
  /** Whether scripts of the page cannot read it. @default true */
  httpOnly?: boolean | undefined;
}

const RULES: Rules<CookieOptions> = {
  maxAge: integer(1),
  domain: {
    expected: 'the name of a domain',
    holds: (value) => typeof value === 'string' && /^[\w-]+(\.[\w-]+)*$/.test(value),
  },
  sameSite: oneOf('lax', 'strict', 'none'),
  httpOnly: flag,
};

/** @throws OptionError */
export function checkCookieOptions(options: unknown): void {
  checkOptions(options, RULES, { door: 'client', at: 'anonymousId.set' });
}

const SAME_SITE = { lax: 'Lax', strict: 'Strict', none: 'None' };

/** A line of `Set-Cookie`. */
export function cookieText(
  name: string,
  id: string,
  { maxAge, domain, sameSite = 'lax', httpOnly = true }: CookieOptions,
  isSecure: boolean,
): string {
  const attributes = [
    `${name}=${id}`,
    'Path=/',
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    `SameSite=${SAME_SITE[sameSite]}`,
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(isSecure ? ['Secure'] : []),
  ];
  return attributes.join('; ');
}

/** Whether caches keep an answer for all visitors, who would then share what is in it. */
export const isPublic = (cacheControl: unknown): boolean => /\bpublic\b|\bs-maxage\b/i.test(String(cacheControl ?? ''));
