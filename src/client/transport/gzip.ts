import { load } from './load.js';

/** Compresses a body, off the caller's thread. */
export async function gzip(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const zlib = load('node:zlib');
  return new Promise((resolve, reject) => {
    zlib.gzip(body, (error, compressed) => (error === null ? resolve(compressed) : reject(error)));
  });
}
