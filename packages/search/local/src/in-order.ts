/** Results of `work` in the order of the items, with at most `width` items in parallel. */
export async function* inOrder<In, Out>(
  items: Iterable<In>,
  width: number,
  work: (item: In) => Promise<Out> | Out,
): AsyncGenerator<Out> {
  const running: Promise<Out>[] = []
  const start = (item: In) => {
    const result = Promise.resolve(work(item))
    // A consumer that stops early does not await the results in progress.
    result.catch(() => undefined)
    running.push(result)
  }
  for (const item of items) {
    start(item)
    const first = running.length >= width ? running.shift() : undefined
    if (first) yield await first
  }
  for (const result of running) yield await result
}
