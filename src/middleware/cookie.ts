import { checkOptions, flag, integer, oneOf, type Rules } from '../base/options/check-options.js';

/** The cookie for a visitor who has none. Its path is `/`, and it is `Secure` if the request came by https. */
export interface CookieOptions {
  /** How long the browser keeps the cookie, in seconds. @default until the browser is closed */
  maxAge?: number | undefined;
  /** The domain whose hosts receive the cookie. @default only the host of the request */
  domain?: string | undefined;
  /** The `SameSite` attribute. @default 'lax' */
  sameSite?: 'lax' | 'strict' | 'none' | undefined;
  /** Hide the cookie from scripts of the page. @default true */
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

/** Returns the value of a `Set-Cookie` header. */
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

/** Returns true if shared caches may keep the response. All visitors would then get the same cookie. */
export const isPublic = (cacheControl: unknown): boolean => /\bpublic\b|\bs-maxage\b/i.test(String(cacheControl ?? ''));
