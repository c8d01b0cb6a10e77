/** Converts text positions between UTF-16 code units and UTF-8 bytes. */
export interface Offsets {
  /** Code unit at a byte offset. Offsets after the end return the length. */
  fromBytes(offset: number): number
  /** Byte offset of a code unit. */
  toBytes(index: number): number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches all of ASCII
const ASCII = /^[\u0000-\u007f]*$/

/** Code units between stored positions, so that counting does not begin at the start. */
const STRIDE = 256

export function offsetsOf(text: string): Offsets {
  if (ASCII.test(text)) {
    const within = (offset: number): number => Math.min(Math.max(offset, 0), text.length)
    return { fromBytes: within, toBytes: within }
  }
  let marks: Marks | undefined
  const marked = (): Marks => (marks ??= marksOf(text))
  return {
    fromBytes(offset) {
      const { units, bytes } = marked()
      const mark = lastUpTo(bytes, offset)
      let at = bytes[mark] ?? 0
      for (let index = units[mark] ?? 0; index < text.length; index += unitsAt(text, index)) {
        if (at >= offset) return index
        at += bytesAt(text, index)
      }
      return text.length
    },
    toBytes(index) {
      const { units, bytes } = marked()
      const mark = lastUpTo(units, index)
      let at = bytes[mark] ?? 0
      for (let unit = units[mark] ?? 0; unit < index && unit < text.length; unit += unitsAt(text, unit))
        at += bytesAt(text, unit)
      return at
    },
  }
}

/** Stored positions about every `STRIDE` code units, with their byte offsets. */
interface Marks {
  readonly units: readonly number[]
  readonly bytes: readonly number[]
}

function marksOf(text: string): Marks {
  const units = [0]
  const bytes = [0]
  let next = STRIDE
  let at = 0
  for (let index = 0; index < text.length; index += unitsAt(text, index)) {
    if (index >= next) {
      units.push(index)
      bytes.push(at)
      next = index + STRIDE
    }
    at += bytesAt(text, index)
  }
  return { units, bytes }
}

/** Index of the last of ascending numbers that is not above the limit; 0 if all are. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle
    else high = middle - 1
  }
  return low
}

function unitsAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}

function bytesAt(text: string, index: number): number {
  const point = text.codePointAt(index) ?? 0
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point > 0xffff ? 4 : 3
}
