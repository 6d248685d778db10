// The same client on a runtime that has no diagnostics channels, or with a subscriber to some of them.
import { subscribe } from 'node:diagnostics_channel';
import { open as openEventferry } from './eventferry.js';

const MODULE = 'node:diagnostics_channel';

/** @param channels the names of those that have a subscriber; undefined for a runtime without any */
export function open(url, { channels, ...settings }) {
  if (channels === undefined) hideChannels();
  for (const name of channels ?? []) subscribe(`eventferry:${name}`, ignore);
  return openEventferry(url, settings);
}

function hideChannels() {
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (name) => (name === MODULE ? undefined : getBuiltinModule(name));
}

function ignore() {}
