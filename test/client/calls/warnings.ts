import { beforeEach, onTestFinished, vi } from 'vitest';

/** Collects the process warnings of each test, with their codes, instead of printing them on standard error. */
export function useWarnings(): readonly string[] {
  const warnings: string[] = [];
  beforeEach(() => {
    warnings.length = 0;
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(((text: string, { code }: { code: string }) => {
      warnings.push(`${code} ${text}`);
    }) as typeof process.emitWarning);
    onTestFinished(() => emit.mockRestore());
  });
  return warnings;
}
