const LF = 10
const CR = 13

/** Way in which a network can split a stream. */
export interface Chunking {
  readonly name: string
  /** Changes line ends, so it only applies to streams of text. */
  readonly isOfText?: true
  /** Network chunks of a stream's frames. */
  pieces(frames: readonly Uint8Array[]): Uint8Array[]
}

/** All chunkings that a reader must support. */
export const CHUNKINGS: readonly Chunking[] = [
  { name: 'in one piece', pieces: (frames) => [Buffer.concat(frames)] },
  { name: 'frame by frame', pieces: (frames) => [...frames] },
  { name: 'with the ends of frames in the next chunk', pieces: (frames) => evenPieces(Buffer.concat(frames), 61) },
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

/** Bytes at the start and the end of a stream that are sent one by one. */
const EDGE = 256
/**
 * Bytes of the chunks in between: a prime, so that they end anywhere in lines and frames. Each chunk takes a turn of
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

/** Frames of server-sent events, each with the blank line that ends it. */
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
