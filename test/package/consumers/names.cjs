// Prints the exports of each entry point in a CommonJS module.
const doors = process.argv.slice(2);
console.log(JSON.stringify(Object.fromEntries(doors.map((door) => [door, Object.keys(require(door))]))));
