// One client in a process of its own: runs the client half of one measurement and reports what it returns.
const { measurement, client, settings, url, ...rest } = JSON.parse(process.argv[2] ?? '');
// Without its parent nobody wants to know.
process.once('disconnect', () => process.exit());

const { inClient } = await import(`./measurements/${measurement}.js`);
const { open } = await import(`./clients/${client}.js`);

const result = await inClient(() => open(url, settings), rest);
if (process.connected) process.send(result, () => process.exit());
