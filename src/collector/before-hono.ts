import { assertUndiciRuns } from '../base/http/connections.js';

// Hono's server uses Node's own `Request`, with which Node loads its own undici as soon as it is named. Without WebAssembly
// that ends the process, so this stands before the import of Hono.
assertUndiciRuns('the collector');
