/** Calls a function of the caller's that is only told something. What it throws has nowhere left to be reported. */
export async function ignoreErrors(hook: () => unknown): Promise<void> {
  try {
    await hook();
  } catch {}
}
