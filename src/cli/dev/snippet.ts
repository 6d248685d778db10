import { WRITE_KEY_VARIABLE } from '../connection.js';

/** The key everybody has while they try things out. */
const OPEN_KEY = 'dev';

/** Three lines that send an event here. Any other key than the open one stays where it is. */
export function snippetOf(url: string, writeKey: string): readonly string[] {
  const key = writeKey === OPEN_KEY ? `'${OPEN_KEY}'` : `process.env.${WRITE_KEY_VARIABLE}`;
  return [
    "import { Analytics } from 'eventferry';",
    `const analytics = new Analytics({ writeKey: ${key}, endpoint: '${url}' });`,
    "analytics.track({ userId: 'u1', event: 'Hello World' });",
  ];
}
