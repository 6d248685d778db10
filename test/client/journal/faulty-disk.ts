import * as nodeFs from 'node:fs';

type Call = (...args: unknown[]) => unknown;

/** Decides what one call does: it throws the returned error, or runs as usual if none is returned. */
export type Decide = (name: string, args: readonly unknown[], pass: () => unknown) => Error | undefined;

export const refusal = (code: string): Error => Object.assign(new Error(`${code}: the test's disk refuses`), { code });

/** Returns the real file system, except that `decide` runs before each call and may make it fail. */
export function faultyDisk(decide: Decide): typeof nodeFs {
  const wrap = (name: string, act: Call): Call => {
    return (...args) => {
      const error = decide(name, args, () => act(...args));
      if (error === undefined) return act(...args);
      // A function with a callback, such as `fdatasync`, passes the error to it.
      const callback = args.at(-1);
      if (typeof callback !== 'function') throw error;
      queueMicrotask(() => callback(error));
      return undefined;
    };
  };
  const promises = {
    ...nodeFs.promises,
    open: async (...args: Parameters<typeof nodeFs.promises.open>) => {
      const error = decide('open', args, () => undefined);
      if (error !== undefined) throw error;
      return nodeFs.promises.open(...args);
    },
  };
  const disk: Record<string, unknown> = { ...nodeFs, promises };
  for (const [name, value] of Object.entries(nodeFs)) {
    if (name.endsWith('Sync') || name === 'fdatasync') disk[name] = wrap(name, value as Call);
  }
  return disk as unknown as typeof nodeFs;
}

/** Returns a disk with room for the given number of further bytes. It cuts off a write that does not fit, as a full disk does. */
export function smallDisk(room: { bytes: number }): typeof nodeFs {
  return faultyDisk((name, args) => {
    if (name !== 'writeSync') return undefined;
    const [handle, bytes, from, length, position] = args as [number, Buffer, number, number, number];
    // Overwriting existing bytes needs no further room.
    const growth = Math.max(0, position + length - nodeFs.fstatSync(handle).size);
    if (growth <= room.bytes) {
      room.bytes -= growth;
      return undefined;
    }
    nodeFs.writeSync(handle, bytes, from, length - growth + room.bytes, position);
    room.bytes = 0;
    return refusal('ENOSPC');
  });
}

/** Returns a disk that refuses everything new while it is full. Existing files can still be overwritten, renamed and removed. */
export function fullDisk(state: { isFull: boolean }): typeof nodeFs {
  const NEEDS_ROOM = ['mkdirSync', 'writeFileSync', 'appendFileSync'];
  const needsRoom = (name: string, args: readonly unknown[]): boolean => {
    const [first, second, , length, position] = args as [string | number, unknown, unknown, number, number];
    if (name === 'mkdirSync') return !nodeFs.existsSync(String(first));
    if (name === 'openSync')
      return (Number(second) & nodeFs.constants.O_CREAT) !== 0 && !nodeFs.existsSync(String(first));
    if (name === 'writeSync')
      return position + length > Math.ceil(nodeFs.fstatSync(Number(first)).size / 4_096) * 4_096;
    return NEEDS_ROOM.includes(name);
  };
  return faultyDisk((name, args) => (state.isFull && needsRoom(name, args) ? refusal('ENOSPC') : undefined));
}
