/** A stream as one JSON array: how its elements are set apart, and how it ends. */
export interface ArrayWriter {
  /** An element, given as JSON text. */
  element(json: string): string
  /** The end, once; of an array without elements as well. */
  end(): string
  /** Whether anything is written. */
  readonly begun: boolean
}

/** What a silent array is kept alive with: white space between elements means nothing. */
export const ARRAY_PING = '\n'

/** Writes a stream as one JSON array. `begun`: some of it is written already. */
export function arrayWriter(begun = false): ArrayWriter {
  let open = begun
  let closed = false
  return {
    element(json) {
      const before = open ? '\n,\r\n' : '['
      open = true
      return before + json
    },
    end() {
      if (closed) return ''
      closed = true
      return open ? '\n]' : '[]'
    },
    get begun() {
      return open
    },
  }
}
