import { assertUndiciRuns } from '../base/http/connections.js';

// Hono's server mentions Node's own `Request`, which makes Node load its own undici. Without WebAssembly that ends the process,
// so this check stands before the import of Hono.
assertUndiciRuns('the collector');
