import { WRITE_KEY_VARIABLE } from '../connection.js';

/** The default key of `dev`, which is no secret. */
const OPEN_KEY = 'dev';

/** Three lines that send an event. A key other than the default is not shown. */
export function snippetOf(url: string, writeKey: string): readonly string[] {
  const key = writeKey === OPEN_KEY ? `'${OPEN_KEY}'` : `process.env.${WRITE_KEY_VARIABLE}`;
  return [
    "import { Analytics } from 'eventferry';",
    `const analytics = new Analytics({ writeKey: ${key}, endpoint: '${url}' });`,
    "analytics.track({ userId: 'u1', event: 'Hello World' });",
  ];
}
