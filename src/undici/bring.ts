// @ts-expect-error it has no types of its own
import buildConnector from 'undici/lib/core/connect.js';
// @ts-expect-error it has no types of its own
import Client from 'undici/lib/dispatcher/client.js';
// @ts-expect-error it has no types of its own
import Pool from 'undici/lib/dispatcher/pool.js';
import { bringUndici } from '../client/transport/undici-parts.js';

// For bundles: a bundler follows these three imports, but not the client's own lazy ones.
bringUndici({ Client, Pool, buildConnector });
