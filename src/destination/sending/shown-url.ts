const MASK = '***';

// Long, and of letters and digits without words: keys, tokens and random ids look like this, and names hardly ever.
const TOKEN = /^(?=.*\d)(?=.*[A-Za-z])[\w~+=.-]{16,}$|^[A-Za-z0-9]{24,}$/;

/**
 * A webhook's URL for eyes other than its owner's: in the API, on the page and in lines. User, password, the values of the
 * query and of `name=value` in the path, and parts of the path that look like a token are masked.
 */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname.split('/').map(shownPart).join('/')}${shownQuery(search)}`;
}

/** A part of the path. */
export const shownPart = (part: string): string => {
  if (part.includes('=')) return part.replace(/=[^;&,]*/g, `=${MASK}`);
  return TOKEN.test(part) ? MASK : part;
};

/** A parameter without a value may be a secret as a whole. */
function shownQuery(search: string): string {
  if (search === '') return '';
  const shown = search
    .slice(1)
    .split('&')
    .map((parameter) => (parameter.includes('=') ? `${parameter.slice(0, parameter.indexOf('='))}=${MASK}` : MASK));
  return `?${shown.join('&')}`;
}
