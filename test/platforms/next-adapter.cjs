// Provides to the server what an adapter of Next provides, as described on the page about `after` in Next's documentation.
const place = {
  get: () => ({
    waitUntil(promise) {
      console.log('waiting;');
      promise.then(() => console.log('done;'));
    },
  }),
};
globalThis[Symbol.for('@next/request-context')] = place;
