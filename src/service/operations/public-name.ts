/** Returns a webhook's URL for logs and metrics, without path and query, which may hold secrets. */
export const publicName = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'unknown');
