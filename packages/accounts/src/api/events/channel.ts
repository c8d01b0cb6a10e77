/** Queue of pushed strings for one reader. */
export interface Channel {
  readonly texts: AsyncIterable<string>
  /** Adds a string. If the reader is too far behind, the channel ends. */
  push(text: string): void
  /** Ends the channel. The reader still gets queued strings. */
  end(): void
}

/** Maximum number of queued strings. */
const MOST = 256

/** @param onEnd called once when the reader has left or the channel has ended */
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
