import type { Readable, Transform } from 'node:stream'
import zlib from 'node:zlib'
import { HeadgateError } from '@headgate/core/errors'

/** Maximum number of nested codings. */
const MAX_CODINGS = 3
const OPTIONS = { chunkSize: 65_536 }

/**
 * Decoder of deflate. A zlib stream has 8, its method, in the lower half of the first byte; some servers send raw
 * deflate without it.
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
 * Codings of a body in the order in which they were applied; undefined = none.
 * @throws HeadgateError `upstream` for an unsupported coding
 */
export function codingsOf(header: string | string[] | undefined): readonly string[] | undefined {
  if (header === undefined) return undefined
  const names = String(header).toLowerCase().split(',')
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity')
  if (codings.length === 0) return undefined
  const unknown = codings.find((name) => !Object.hasOwn(DECODERS, name))
  if (unknown === undefined && codings.length <= MAX_CODINGS) return codings
  throw new HeadgateError('upstream', `The content has an unsupported encoding ("${String(header).slice(0, 80)}").`)
}

/** Receiver of decoded bytes. Nothing is called after `end` or `fail`. */
export interface Decoded {
  data(chunk: Buffer): void
  end(): void
  fail(error: HeadgateError): void
  /** More can be written. */
  drain(): void
}

/** Streaming decoder with backpressure in both directions. */
export interface Decoder {
  /** False: the writer must wait for `drain`. */
  write(chunk: Buffer): boolean
  end(): void
  pause(): void
  resume(): void
  /** Stops without calling the receiver. */
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
      new HeadgateError('upstream', `The content cannot be decompressed (${codings.join(', ')}).`, {
        cause,
      }),
    )
  }
  /** Created with the first bytes, because a response without content has no codings. */
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

/** Decodes a whole body. An error of `take` stops it. */
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

/** First byte of nested deflate, whose own bytes are not known yet. */
const ZLIB = Uint8Array.of(8)
