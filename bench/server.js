// One server in a process of its own: says where it listens, and what it has cost when asked.
const { open } = await import(`./servers/${process.argv[2]}.js`);

let events = 0;
let before = process.cpuUsage();

process.on('message', (command) => {
  if (command === 'reset') {
    events = 0;
    before = process.cpuUsage();
  }
  const { user, system } = process.cpuUsage(before);
  process.send({ events, cpuMicroseconds: user + system, peakRssMb: process.resourceUsage().maxRSS / 1024 });
});
process.on('disconnect', () => process.exit());
process.send({ url: await open((count) => (events += count)) });
