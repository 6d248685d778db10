// Prints the exports of each entry point in an ES module.
const names = async (door) => Object.keys(await import(door)).filter((name) => name !== 'default');
const doors = process.argv.slice(2);
console.log(
  JSON.stringify(Object.fromEntries(await Promise.all(doors.map(async (door) => [door, await names(door)])))),
);
