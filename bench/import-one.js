// `node import-one.js SPECIFIER` writes how many milliseconds its import takes.
const startedAt = performance.now();
await import(process.argv[2]);
process.stdout.write(String(performance.now() - startedAt), () => process.exit());
