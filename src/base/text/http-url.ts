/** Parses an absolute URL of http or https; undefined for other text, and for port 0, on which no server listens. */
export function httpUrlIn(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.port !== '0' ? url : undefined;
}

/** Returns true if a path can be appended to the text: it is a URL of http or https without credentials, query or fragment. */
export function isBaseUrl(text: string): boolean {
  const url = httpUrlIn(text);
  return url !== undefined && url.username + url.password + url.search + url.hash === '';
}
