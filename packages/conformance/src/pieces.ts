const LF = 10
const CR = 13

/** A way in which a network may cut a stream. */
export interface Cut {
  readonly name: string
  /** It changes line ends, so that it is for streams of text only. */
  readonly isOfText?: true
  /** The bytes of a stream's frames in pieces, one a network chunk. */
  pieces(frames: readonly Uint8Array[]): Uint8Array[]
}

/** Every way that a reader must take alike. */
export const CUTS: readonly Cut[] = [
  { name: 'in one piece', pieces: (frames) => [Buffer.concat(frames)] },
  { name: 'frame by frame', pieces: (frames) => [...frames] },
  { name: 'with ends of frames in the next piece', pieces: (frames) => evenPieces(Buffer.concat(frames), 61) },
  {
    name: 'within characters',
    pieces: (frames) => cutBefore(Buffer.concat(frames), (bytes, at) => ((bytes[at] ?? 0) & 0xc0) === 0x80),
  },
  {
    name: 'within line ends of CR LF',
    isOfText: true,
    pieces: (frames) => cutBefore(withCrLf(frames), (bytes, at) => bytes[at - 1] === CR),
  },
  { name: 'byte by byte', pieces: (frames) => bytewise(Buffer.concat(frames)) },
]

/** How much of a stream's begin and end goes out byte by byte. */
const EDGE = 256
/**
 * Bytes of the pieces in between: a prime, so that they end anywhere in lines and in frames. Each piece is a turn of
 * the event loop.
 */
const BETWEEN = 7

function bytewise(bytes: Buffer): Uint8Array[] {
  const [from, to] = [Math.min(EDGE, bytes.length), Math.max(EDGE, bytes.length - EDGE)]
  return [
    ...evenPieces(bytes.subarray(0, from), 1),
    ...evenPieces(bytes.subarray(from, to), BETWEEN),
    ...evenPieces(bytes.subarray(to), 1),
  ]
}

/** The frames of a stream of server-sent events, each with the blank line that ends it. */
export function framesOf(stream: string): Uint8Array[] {
  return cutBefore(Buffer.from(stream), isFrameStart)
}

function withCrLf(frames: readonly Uint8Array[]): Buffer {
  return Buffer.from(Buffer.concat(frames).toString('utf8').replace(/\r?\n/g, '\r\n'))
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
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}
