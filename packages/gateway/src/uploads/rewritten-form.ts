import type { Content } from '@headgate/core/contract'
import type { UploadPart } from './multipart.ts'
import type { Upload } from './upload.ts'

/** Bytes that replace a range of another source. */
interface Replacement {
  readonly start: number
  readonly end: number
  readonly bytes: Uint8Array
}

/**
 * The caller's form with other values for some fields. All other bytes are unchanged: order, file names, headers,
 * and fields that the gateway does not know.
 * @example formWith(upload, new Map([['model', 'whisper-large-v3']]))
 */
export function formWith({ spool, parts }: Upload, values: ReadonlyMap<string, string>): Content {
  const replacements: Replacement[] = parts
    .filter(({ name, filename }) => filename === undefined && values.has(name))
    .map(({ name, start, end }) => ({ start, end, bytes: Buffer.from(values.get(name) ?? '') }))
  const added = replacements.reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0)
  return {
    size: spool.size + added,
    async *read() {
      let at = 0
      for (const { start, end, bytes } of replacements) {
        yield* spool.read(at, start)
        yield bytes
        at = end
      }
      yield* spool.read(at)
    },
  }
}

/** Content of a file of an upload. */
export function contentOf({ spool }: Pick<Upload, 'spool'>, { start, end }: UploadPart): Content {
  return { size: end - start, read: () => spool.read(start, end) }
}
