/** What may be told of a webhook's URL to whoever reads logs and metrics: paths and queries may hold secrets. */
export const publicName = (url: string): string => (URL.canParse(url) ? new URL(url).origin : 'unknown');
