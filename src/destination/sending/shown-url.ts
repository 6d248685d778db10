const MASK = '***';

// Long parts of letters and digits without words: keys, tokens and random ids look like this, and names hardly ever do.
const TOKEN = /^(?=.*\d)(?=.*[A-Za-z])[\w~+=.-]{16,}$|^[A-Za-z0-9]{24,}$/;

/**
 * Returns a webhook's URL in a form that may be shown to anyone: in the API, on the page and in output. User, password, the
 * values of the query and of `name=value` in the path, and parts of the path that look like a token are masked.
 */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return MASK;
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname.split('/').map(shownPart).join('/')}${shownQuery(search)}`;
}

/** Masks a part of the path if it may be secret. */
export const shownPart = (part: string): string => {
  if (part.includes('=')) return part.replace(/=[^;&,]*/g, `=${MASK}`);
  return TOKEN.test(part) ? MASK : part;
};

/** Masks the values of the query. A parameter without a value is masked as a whole, because it may be a secret. */
function shownQuery(search: string): string {
  if (search === '') return '';
  const shown = search
    .slice(1)
    .split('&')
    .map((parameter) => (parameter.includes('=') ? `${parameter.slice(0, parameter.indexOf('='))}=${MASK}` : MASK));
  return `?${shown.join('&')}`;
}
