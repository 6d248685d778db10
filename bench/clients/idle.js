export const open = () => ({
  track() {},
  room() {},
  async finish() {},
  async close() {},
});
