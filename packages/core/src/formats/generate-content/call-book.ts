/** The ids of a conversation's function calls, so that results find their calls where the caller sent no ids. */
export interface CallBook {
  /** The id of a call; one that has none gets `fallback`. */
  call(name: string, id: string | undefined, fallback: string): string
  /** The id of the call that a result answers: by id, else the oldest call of that name without a result, else `fallback`. */
  result(name: string, id: string | undefined, fallback: string): string
  /** The id of a call of the provider's own tool, or of its result, which answers the latest call. */
  hosted(type: 'call' | 'result', id: string | undefined, fallback: string): string
}

export function callBook(): CallBook {
  const open: { name: string; id: string }[] = []
  let latest: string | undefined
  const take = (index: number): string | undefined => (index === -1 ? undefined : open.splice(index, 1)[0]?.id)
  return {
    call(name, id, fallback) {
      const known = id || fallback
      open.push({ name, id: known })
      return known
    },
    result(name, id, fallback) {
      const byId = id ? take(open.findIndex((call) => call.id === id)) : undefined
      return byId ?? take(open.findIndex((call) => call.name === name)) ?? (id || fallback)
    },
    hosted(type, id, fallback) {
      const known = id || (type === 'result' ? (latest ?? fallback) : fallback)
      latest = known
      return known
    },
  }
}
