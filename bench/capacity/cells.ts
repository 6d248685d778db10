// How numbers look in a table.
export interface Table {
  readonly head: readonly string[];
  readonly body: readonly (readonly string[])[];
}

export const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** To two or three digits: more would say more than is known. */
export function rough(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value < 10) return String(Number(value.toPrecision(2)));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 2);
  return NUMBER.format(Math.round(value / step) * step);
}

export const bytes = (value: number): string =>
  value < 1e9 ? `${rough(value / 1e6)} MB` : value < 1e12 ? `${rough(value / 1e9)} GB` : `${rough(value / 1e12)} TB`;

export const percent = (share: number): string => `${rough(share * 100)} %`;

export const hours = (seconds: number): string =>
  seconds < 3_600 ? `${rough(seconds / 60)} min` : `${rough(seconds / 3_600)} h`;
