/**
 * Loaded before a program: keeps, in the folder EVENTFERRY_DISK, what the disk would hold of EVENTFERRY_DISK_OF if the machine lost its
 * power: of each file what it was when it was last flushed, and it only in folders that were flushed since it was made.
 */
import fs, { promises } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const source = process.env['EVENTFERRY_DISK_OF'];
const disk = process.env['EVENTFERRY_DISK'];
const forgets = process.env['EVENTFERRY_DISK_FORGETS'] === 'flushes';

/** By its path in the folder: what a file or a folder was when it was last flushed. */
const flushed = new Map();
const pathOf = (handle) => relative(source, fs.readlinkSync(`/proc/self/fd/${handle}`));

function save() {
  fs.rmSync(disk, { recursive: true, force: true });
  fs.mkdirSync(disk, { recursive: true });
  for (const [path, bytes] of flushed) {
    if (!Buffer.isBuffer(bytes) || !isLinked(path)) continue;
    fs.mkdirSync(dirname(join(disk, path)), { recursive: true });
    fs.writeFileSync(join(disk, path), bytes);
  }
}

function isLinked(path) {
  for (let inner = path; inner !== '.'; inner = dirname(inner)) {
    const folder = flushed.get(dirname(inner) === '.' ? '' : dirname(inner));
    if (!folder?.includes(inner.split('/').at(-1))) return false;
  }
  return true;
}

function note(path, content) {
  if (!forgets) flushed.set(path, content);
  save();
}

const { fdatasync } = fs;
fs.fdatasync = (handle, done) => {
  const path = pathOf(handle);
  const bytes = fs.readFileSync(join(source, path));
  fdatasync(handle, (error) => {
    note(path, bytes);
    done(error);
  });
};

const probe = await promises.open('.');
const prototype = Object.getPrototypeOf(probe);
await probe.close();
const { sync } = prototype;
prototype.sync = async function () {
  const path = pathOf(this.fd);
  const names = fs.readdirSync(join(source, path));
  await sync.call(this);
  note(path, names);
};
