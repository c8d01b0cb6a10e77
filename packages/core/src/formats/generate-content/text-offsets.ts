/** Translates positions within one text between UTF-16 code units and bytes of UTF-8. */
export interface Offsets {
  /** The code unit at which byte `offset` stands; bytes beyond the end mean the end. */
  fromBytes(offset: number): number
  /** The byte at which code unit `index` stands. */
  toBytes(index: number): number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\u0000-\u007f]*$/

export function offsetsOf(text: string): Offsets {
  if (ASCII.test(text)) {
    const within = (offset: number): number => Math.min(Math.max(offset, 0), text.length)
    return { fromBytes: within, toBytes: within }
  }
  return {
    fromBytes(offset) {
      let bytes = 0
      for (let index = 0; index < text.length; index += unitsAt(text, index)) {
        if (bytes >= offset) return index
        bytes += bytesAt(text, index)
      }
      return text.length
    },
    toBytes(index) {
      let bytes = 0
      for (let unit = 0; unit < index && unit < text.length; unit += unitsAt(text, unit)) bytes += bytesAt(text, unit)
      return bytes
    },
  }
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
