export const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `user-${from + index}`);
