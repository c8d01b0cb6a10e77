const KINDS = ['TCPSocketWrap', 'TCPServerWrap', 'Timeout', 'Immediate']

function count(all: readonly string[], kind: string): number {
  return all.filter((one) => one === kind).length
}

/**
 * Sockets, servers and timers that are there now and were not in `before`, once what closes has closed; at most two
 * seconds.
 */
export async function leftovers(before: readonly string[]): Promise<string[]> {
  const more = (): string[] =>
    KINDS.flatMap((kind) => {
      const added = count(process.getActiveResourcesInfo(), kind) - count(before, kind)
      return added > 0 ? [`${added} ${kind}`] : []
    })
  for (let tries = 0; tries < 100 && more().length > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 20))
  return more()
}
