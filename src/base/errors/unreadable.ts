const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file',
  ENOTDIR: 'there is no file',
  EISDIR: 'a folder, not a file',
  EACCES: 'no permission to read',
};

/**
 * Explains in our own words why a file cannot be read; undefined for other errors. The caller adds the file's name: `there is no
 * file: plan.json`.
 */
export const whyUnreadable = (error: unknown): string | undefined =>
  REASONS[String((error as { readonly code?: unknown }).code)];
