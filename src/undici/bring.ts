// @ts-expect-error it has no types of its own
import buildConnector from 'undici/lib/core/connect.js';
// @ts-expect-error it has no types of its own
import Client from 'undici/lib/dispatcher/client.js';
// @ts-expect-error it has no types of its own
import Pool from 'undici/lib/dispatcher/pool.js';
import { bringUndici } from '../client/transport/undici-parts.js';

// For bundles: a bundler sees these three imports, and none of the client's own.
bringUndici({ Client, Pool, buildConnector });
