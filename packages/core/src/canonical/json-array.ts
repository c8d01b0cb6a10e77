/** Writer of a stream as one JSON array. */
export interface ArrayWriter {
  /** Adds an element, given as JSON text. */
  element(json: string): string
  /** Ends the array, once. Also valid for an array without elements. */
  end(): string
  /** True after the first element. */
  readonly begun: boolean
}

/** Whitespace between elements, which keeps an idle array alive. */
export const ARRAY_PING = '\n'

/**
 * Writer of a JSON array.
 * @param begun true if elements are already written.
 */
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
