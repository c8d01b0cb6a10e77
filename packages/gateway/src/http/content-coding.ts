import type { Readable, Transform } from 'node:stream'
import zlib from 'node:zlib'
import { HeadgateError } from '@headgate/core/errors'

/** Most codings that lie upon each other. */
const MAX_CODINGS = 3
const OPTIONS = { chunkSize: 65_536 }

/**
 * A zlib stream begins with its method, 8, in the lower half of the first byte; some servers send what is within it
 * alone.
 */
function createDeflate(first: Uint8Array): Transform {
  return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate(OPTIONS) : zlib.createInflateRaw(OPTIONS)
}

const DECODERS: Readonly<Record<string, (first: Uint8Array) => Transform>> = {
  gzip: () => zlib.createGunzip(OPTIONS),
  'x-gzip': () => zlib.createGunzip(OPTIONS),
  br: () => zlib.createBrotliDecompress(OPTIONS),
  deflate: createDeflate,
  zstd: () => zlib.createZstdDecompress(OPTIONS),
}

/**
 * The codings of a body that has any, in the order in which they were applied; undefined = the bytes are what they are.
 * @throws HeadgateError `upstream` for one that can not be undone.
 */
export function codingsOf(header: string | string[] | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined
  const names = String(header).toLowerCase().split(',')
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  if (codings.length === 0) return undefined
  const unknown = codings.find((name) => !Object.hasOwn(DECODERS, name))
  if (unknown === undefined && codings.length <= MAX_CODINGS) return codings
  throw new HeadgateError(
    'upstream',
    `The content is compressed in a way that can not be read ("${String(header).slice(0, 80)}").`,
  )
}

/** Whoever takes what was decoded. After `end` or `fail` nothing more comes. */
export interface Decoded {
  data(chunk: Buffer): void
  end(): void
  fail(error: HeadgateError): void
  /** There is room for more to be written. */
  drain(): void
}

/** Undoes codings piece by piece, so that no more is inflated than is taken. */
export interface Decoder {
  /** False asks to wait for `drain`. */
  write(chunk: Buffer): boolean
  end(): void
  pause(): void
  resume(): void
  /** Ends it without a word. */
  destroy(): void
}

export function createDecoder(codings: readonly string[], decoded: Decoded): Decoder {
  let stages: Transform[] = []
  let paused = false
  let over = false

  const destroy = (): void => {
    over = true
    for (const stage of stages) stage.destroy()
  }
  const broken = (cause: Error): void => {
    if (over) return
    destroy()
    decoded.fail(
      new HeadgateError('upstream', `The content is compressed (${codings.join(', ')}) and can not be read.`, {
        cause,
      }),
    )
  }
  /** Built with the first bytes: an answer without content has no codings either. */
  const begin = (first: Uint8Array): void => {
    stages = codings.toReversed().flatMap((name, index) => DECODERS[name]?.(index === 0 ? first : ZLIB) ?? [])
    stages.forEach((stage, index) => {
      stage.on('error', broken)
      const next = stages[index + 1]
      if (next) stage.pipe(next)
    })
    stages[0]?.on('drain', () => {
      if (!over) decoded.drain()
    })
    const last = stages.at(-1)
    last?.on('data', (chunk: Buffer) => {
      if (!over) decoded.data(chunk)
    })
    last?.on('end', () => {
      if (over) return
      over = true
      decoded.end()
    })
    if (paused) last?.pause()
  }
  return {
    write(chunk) {
      if (stages.length === 0) begin(chunk)
      return stages[0]?.write(chunk) ?? true
    },
    end() {
      if (stages[0]) stages[0].end()
      else if (!over) {
        over = true
        decoded.end()
      }
    },
    pause() {
      paused = true
      stages.at(-1)?.pause()
    },
    resume() {
      paused = false
      stages.at(-1)?.resume()
    },
    destroy,
  }
}

/** Decodes a body to its end; what `take` throws ends it. */
export function decodeAll(body: Readable, codings: readonly string[], take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (error: unknown): void => {
      decoder.destroy()
      body.destroy()
      reject(error)
    }
    const data = (chunk: Buffer): void => {
      try {
        take(chunk)
      } catch (error) {
        stop(error)
      }
    }
    const decoder = createDecoder(codings, { data, end: resolve, fail: stop, drain: () => body.resume() })
    body.on('data', (chunk: Buffer) => {
      if (!decoder.write(chunk)) body.pause()
    })
    body.on('end', () => decoder.end())
    body.on('error', stop)
  })
}

/** How deflate begins within another coding, where its own bytes are not known yet. */
const ZLIB = Uint8Array.of(8)
