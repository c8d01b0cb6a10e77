/** Texts that are pushed, for whoever reads them one after the other. */
export interface Channel {
  readonly texts: AsyncIterable<string>
  /** A reader who is far behind is left. */
  push(text: string): void
  /** What was pushed before is still read. */
  end(): void
}

/** Most texts that wait. */
const MOST = 256

/** @param onEnd called once, when there is no reader any more, or nothing more to read. */
export function createChannel(onEnd: () => void): Channel {
  const waiting: string[] = []
  let reader: ((result: IteratorResult<string>) => void) | undefined
  let isOver = false
  const end = (): void => {
    if (isOver) return
    isOver = true
    reader?.({ done: true, value: undefined })
    reader = undefined
    onEnd()
  }
  const iterator: AsyncIterator<string> = {
    next() {
      const value = waiting.shift()
      if (value !== undefined) return Promise.resolve({ done: false, value })
      if (isOver) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => {
        reader = resolve
      })
    },
    async return() {
      waiting.length = 0
      end()
      return { done: true, value: undefined }
    },
  }
  return {
    texts: { [Symbol.asyncIterator]: () => iterator },
    push(text) {
      if (isOver) return
      if (reader) {
        reader({ done: false, value: text })
        reader = undefined
      } else if (waiting.push(text) > MOST) end()
    },
    end,
  }
}
