import { HeadgateError, invalid } from '@headgate/core/errors'
import { headerOf, type Incoming } from '../edge/sink.ts'
import type { Principal } from '../ports/ledger.ts'
import { boundaryOf, createMultipartScanner, type UploadPart } from './multipart.ts'
import type { Spool, SpoolSpace } from './spool.ts'

/** Maximum bytes of one field that is not a file. */
const MAX_FIELD = 1024 * 1024
/** Maximum bytes of all fields that are not files. */
const MAX_FIELDS = 4 * MAX_FIELD

/** Form that a caller sent. Its bytes are in a spool, so its memory does not depend on the size of its files. */
export interface Upload {
  /** Bytes of the form as the caller sent them. */
  readonly spool: Spool
  /** `content-type` of the caller, with the boundary. */
  readonly contentType: string
  readonly parts: readonly UploadPart[]
  /** Values of a field, in their order; empty if the form does not have it. */
  texts(name: string): readonly string[]
  /**
   * Text of a field that may occur once; undefined if the form does not have it.
   * @throws HeadgateError `invalid-request` if it occurs twice
   */
  text(name: string): string | undefined
  /** Files with one of the names, in their order. */
  files(...names: readonly string[]): readonly UploadPart[]
  /** Frees the spool. */
  close(): Promise<void>
}

/**
 * Reads a multipart form into a spool. The spool is freed if reading fails.
 * @param limit maximum bytes of the form, which counts for the key of the principal
 * @throws HeadgateError `invalid-request` for a malformed form, `too-large`, `too-slow`, `canceled`
 */
export async function readUpload(
  { incoming, principal }: { readonly incoming: Incoming; readonly principal: Pick<Principal, 'id'> },
  space: SpoolSpace,
  limit: number,
): Promise<Upload> {
  const contentType = headerOf(incoming, 'content-type') ?? ''
  const encoding = headerOf(incoming, 'content-encoding')?.toLowerCase()
  if (encoding !== undefined && encoding !== 'identity')
    throw invalid('content-encoding', 'A form cannot be compressed. Send it without `content-encoding`.')
  const scanner = createMultipartScanner(boundaryOf(contentType))
  const spool = space.create(principal.id)
  try {
    await incoming.stream(limit, (chunk) => {
      scanner.write(chunk)
      return spool.write(chunk)
    })
    const parts = scanner.end()
    const texts = await textsOf(spool, parts)
    return uploadOf({ spool, contentType, parts }, texts)
  } catch (error) {
    await spool.close()
    throw error
  }
}

function uploadOf(
  form: Pick<Upload, 'spool' | 'contentType' | 'parts'>,
  texts: ReadonlyMap<string, readonly string[]>,
): Upload {
  const { spool, contentType, parts } = form
  return {
    spool,
    contentType,
    parts,
    texts: (name) => texts.get(name) ?? [],
    text(name) {
      const [first, second] = texts.get(name) ?? []
      if (second !== undefined) throw invalid(name, `The form has the field ${name} twice.`)
      return first
    },
    files: (...names) => parts.filter(({ name, filename }) => filename !== undefined && names.includes(name)),
    close: () => spool.close(),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function textsOf(spool: Spool, parts: readonly UploadPart[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const texts = new Map<string, string[]>()
  let size = 0
  for (const { name, filename, start, end } of parts) {
    if (filename !== undefined) continue
    size += end - start
    if (end - start > MAX_FIELD || size > MAX_FIELDS)
      throw new HeadgateError('too-large', `The field ${name} is larger than ${MAX_FIELD} bytes.`, { param: name })
    const text = decoded(name, await spool.bytes(start, end))
    const own = texts.get(name)
    if (own) own.push(text)
    else texts.set(name, [text])
  }
  return texts
}

function decoded(name: string, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid(name, `The field ${name} is not valid UTF-8.`)
  }
}
