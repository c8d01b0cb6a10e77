/** Filter of streamed text. */
export interface PieceFilter {
  /** Returns the output for a piece. Empty while it is not yet known. */
  push(piece: string): string
  /** Returns the remaining output after the last piece. */
  end(): string
}

/** Applies a filter to a whole text. */
export function filterWhole(filter: PieceFilter, text: string): string {
  return filter.push(text) + filter.end()
}

/** Filter that changes only the whole text, at the end. */
export function heldWhole(change: (text: string) => string): PieceFilter {
  let held = ''
  return {
    push(piece) {
      held += piece
      return ''
    },
    end: () => change(held),
  }
}

/** Property that wraps a value of another type, for vendors that support only objects. */
export const WRAPPER = 'value'

const HEAD = `{"${WRAPPER}":`
/** Maximum characters before the value, including whitespace. */
const LONGEST_HEAD = 1_000
const OPENING = new Set(['{', '['])
const CLOSING = new Set(['}', ']'])

/** Filter that unwraps `{"value": …}`. Other text stays unchanged. */
export function unwrapping(): PieceFilter {
  let head = ''
  let state: 'head' | 'value' | 'over' | 'other' = 'head'
  let begun = false
  let depth = 0
  let inString = false
  let escaped = false

  const begin = (piece: string): string => {
    head += piece
    const compact = head.replace(/\s+/g, '')
    if (compact.startsWith(HEAD)) {
      state = 'value'
      return read(head.slice(head.indexOf(':') + 1))
    }
    if (HEAD.startsWith(compact) && head.length <= LONGEST_HEAD) return ''
    state = 'other'
    return head
  }
  const read = (given: string): string => {
    const piece = begun ? given : given.trimStart()
    begun ||= piece !== ''
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at] ?? ''
      if (inString) {
        if (escaped) escaped = false
        else if (char === '\\') escaped = true
        else if (char === '"') inString = false
      } else if (char === '"') inString = true
      else if (OPENING.has(char)) depth++
      else if (depth === 0 && (char === '}' || char === ',')) {
        state = 'over'
        return piece.slice(0, at).trimEnd()
      } else if (CLOSING.has(char)) depth--
    }
    return piece
  }
  return {
    push(piece) {
      if (state === 'head') return begin(piece)
      if (state === 'value') return read(piece)
      return state === 'other' ? piece : ''
    },
    end: () => (state === 'head' ? head : ''),
  }
}

/** Filter that removes a prefix, since the caller already has it. */
export function withoutBeginning(beginning: string): PieceFilter {
  let rest = beginning
  let held = ''
  return {
    push(piece) {
      if (rest === '') return piece
      const common = Math.min(rest.length, piece.length)
      if (rest.slice(0, common) !== piece.slice(0, common)) {
        rest = ''
        return held + piece
      }
      held += piece.slice(0, common)
      rest = rest.slice(common)
      if (rest === '') held = ''
      return piece.slice(common)
    },
    end: () => held,
  }
}
