const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file',
  ENOTDIR: 'there is no file',
  EISDIR: 'a folder, not a file',
  EACCES: 'no permission to read',
};

/** Explains why a file cannot be read, if we have words for it. The file's name follows: `there is no file: plan.json`. */
export const whyUnreadable = (error: unknown): string | undefined =>
  REASONS[String((error as { readonly code?: unknown }).code)];
