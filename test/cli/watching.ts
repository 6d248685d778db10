import { onTestFinished } from 'vitest';

/** Yields the events of a feed as they arrive. */
export async function watching(url: string, headers: Record<string, string>) {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const response = await fetch(`${url}/v1/feed`, { headers, signal: ending.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  })().catch(() => {});
  return { response, text: () => text, leave: () => ending.abort(), reading };
}
