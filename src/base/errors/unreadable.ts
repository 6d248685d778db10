const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no file',
  ENOTDIR: 'there is no file',
  EISDIR: 'a folder, not a file',
  EACCES: 'no permission to read',
};

/** Says why the system gives no file, if in words of ours. The name of the file follows: `there is no file: plan.json`. */
export const whyUnreadable = (error: unknown): string | undefined =>
  REASONS[String((error as { readonly code?: unknown }).code)];
