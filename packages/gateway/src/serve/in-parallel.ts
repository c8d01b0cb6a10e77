/** Maximum parts of a request that are called at the same time. */
const PARALLEL = 4

/**
 * Runs all parts, a few at a time, and returns results in the order of the parts. The first failure aborts the others
 * and is thrown after all have ended, because their cost is known only then.
 */
export async function inParallel<In, Out>(
  parts: readonly In[],
  abort: AbortController,
  run: (part: In) => Promise<Out>,
): Promise<Out[]> {
  const out: Out[] = []
  let at = 0
  let failure: { readonly error: unknown } | undefined
  const work = async (): Promise<void> => {
    while (at < parts.length && !failure) {
      const nth = at++
      try {
        out[nth] = await run(parts[nth] as In)
      } catch (error) {
        failure ??= { error }
        abort.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, parts.length) }, work))
  if (failure) throw failure.error
  return out
}
