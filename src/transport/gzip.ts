/** Compresses a body, off the caller's thread. */
export async function gzip(body: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded by those who want it: it would cost everyone else a part of their start.
  const zlib = await import('node:zlib');
  return new Promise((resolve, reject) => {
    zlib.gzip(body, (error, compressed) => (error === null ? resolve(compressed) : reject(error)));
  });
}
