// What an adapter of Next gives to the server, as the page about `after` in Next's documentation says.
const place = {
  get: () => ({
    waitUntil(promise) {
      console.log('waiting;');
      promise.then(() => console.log('done;'));
    },
  }),
};
globalThis[Symbol.for('@next/request-context')] = place;
