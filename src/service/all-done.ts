/** Resolves when all are over. @throws what the first that failed threw, once the others are over too */
export async function allDone<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
