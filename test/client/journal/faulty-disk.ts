import * as nodeFs from 'node:fs';

type Call = (...args: unknown[]) => unknown;

/** Decides what becomes of one call: an error is thrown in its place; anything else lets it pass. */
export type Decide = (name: string, args: readonly unknown[], pass: () => unknown) => Error | undefined;

export const refusal = (code: string): Error => Object.assign(new Error(`${code}: the test's disk refuses`), { code });

/** The real disk, but that `decide` is asked before each call, and may act in its place. */
export function faultyDisk(decide: Decide): typeof nodeFs {
  const wrap = (name: string, act: Call): Call => {
    return (...args) => {
      const error = decide(name, args, () => act(...args));
      if (error === undefined) return act(...args);
      // A function with a callback tells it, as `fdatasync` does.
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

/** A disk with room for so many bytes more. A write that does not fit is cut off, as a full disk does. */
export function smallDisk(room: { bytes: number }): typeof nodeFs {
  return faultyDisk((name, args) => {
    if (name !== 'writeSync') return undefined;
    const [handle, bytes, from, length, position] = args as [number, Buffer, number, number, number];
    // Bytes that were written before have their room.
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

/** A disk that has no room for anything new while it is full. What has its room can be written over, renamed and removed. */
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
