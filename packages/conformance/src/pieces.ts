const LF = 10
const CR = 13

/** A way in which a network may cut a stream. */
export interface Cut {
  readonly name: string
  /** The bytes in pieces, one a network chunk. */
  pieces(stream: string): Uint8Array[]
}

/** Every way that a reader must take alike. */
export const CUTS: readonly Cut[] = [
  { name: 'in one piece', pieces: (stream) => [Buffer.from(stream)] },
  { name: 'frame by frame', pieces: framesOf },
  { name: 'with ends of frames in the next piece', pieces: (stream) => evenPieces(Buffer.from(stream), 61) },
  { name: 'within characters', pieces: (stream) => cutBefore(Buffer.from(stream), (bytes, at) => ((bytes[at] ?? 0) & 0xc0) === 0x80) },
  { name: 'within line ends of CR LF', pieces: (stream) => cutBefore(withCrLf(stream), (bytes, at) => bytes[at - 1] === CR) },
  { name: 'byte by byte', pieces: (stream) => evenPieces(Buffer.from(stream), 1) },
]

/** The frames of a stream, each with the blank line that ends it. */
export function framesOf(stream: string): Uint8Array[] {
  return cutBefore(Buffer.from(stream), isFrameStart)
}

function withCrLf(stream: string): Buffer {
  return Buffer.from(stream.replace(/\r?\n/g, '\r\n'))
}

function isFrameStart(bytes: Uint8Array, at: number): boolean {
  return bytes[at - 1] === LF && (bytes[at - 2] === LF || (bytes[at - 2] === CR && bytes[at - 3] === LF))
}

function cutBefore(bytes: Uint8Array, isCut: (bytes: Uint8Array, at: number) => boolean): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let start = 0
  for (let at = 1; at < bytes.length; at++) {
    if (!isCut(bytes, at)) continue
    pieces.push(bytes.subarray(start, at))
    start = at
  }
  return [...pieces, bytes.subarray(start)]
}

function evenPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
}
