import { randomUUID } from 'node:crypto'
import { HeadgateError } from '@headgate/core/errors'
import type { ResponseHeaders } from '../../edge/sink.ts'
import type { FileLinkOptions } from '../../ports/files.ts'
import { type Context, sendContent } from '../../serve/context.ts'
import { createSpoolSpace, type Spool } from '../../uploads/spool.ts'
import { extensionOf } from './input.ts'
import { bytesOf, type Picture } from './pictures.ts'

export const FILES = '/v1/images/files'
const PURPOSE = 'image-file'
/** Lifetime of a file and of its link, in milliseconds. */
const LIFETIME_MS = 3_600_000
const SECOND = 1_000
/** Maximum bytes of all files, of the files of one key, and of one file. */
const LIMITS = { total: 1024 ** 3, key: 512 * 1024 ** 2, each: 64 * 1024 ** 2, inMemory: 16 * 1024 } as const
/** Maximum number of files, since each is open. */
const MAX_FILES = 2_000
/** Types to serve as themselves. All others are served as files, including SVG, which can contain scripts. */
const SHOWN = /^image\/(?:png|jpeg|webp|gif|avif)$/

interface StoredFile {
  readonly spool: Spool
  readonly type: string
  readonly owner: string
  readonly timer: NodeJS.Timeout
}

/** Images of responses by signed links, for an hour, in this process. */
export interface ImageFiles {
  /** Stores a picture. Returns its link; undefined if there is no space. */
  add(picture: Picture, owner: string): Promise<string | undefined>
  /** Sends a file to anyone who has its link. @throws HeadgateError `forbidden`, `not-found` */
  send(context: Context, id: string, query: string): Promise<void>
  close(): Promise<void>
}

export function createImageFiles({ publicUrl, links }: FileLinkOptions, basePath: string): ImageFiles {
  const space = createSpoolSpace(LIMITS)
  const files = new Map<string, StoredFile>()
  const held = new Map<string, number>()
  const remove = async (id: string): Promise<void> => {
    const file = files.get(id)
    if (!file) return
    files.delete(id)
    clearTimeout(file.timer)
    const left = (held.get(file.owner) ?? 0) - file.spool.size
    if (left > 0) held.set(file.owner, left)
    else held.delete(file.owner)
    await file.spool.close()
  }
  return {
    async add(picture, owner) {
      const bytes = bytesOf(picture)
      const own = (held.get(owner) ?? 0) + bytes.length
      if (own > LIMITS.key || files.size >= MAX_FILES) return undefined
      held.set(owner, own)
      const spool = space.create()
      try {
        await spool.write(bytes)
      } catch {
        held.set(owner, (held.get(owner) ?? 0) - bytes.length)
        await spool.close()
        return undefined
      }
      const id = randomUUID()
      const timer = setTimeout(() => void remove(id), LIFETIME_MS).unref()
      files.set(id, { spool, type: picture.type, owner, timer })
      const end = Math.floor((Date.now() + LIFETIME_MS) / SECOND)
      const query = new URLSearchParams({ exp: String(end), sig: links.sign([PURPOSE, id], end) })
      return `${publicUrl()}${basePath}${FILES}/${id}?${query}`
    },
    async send(context, id, query) {
      const given = new URLSearchParams(query)
      const [exp, sig] = [given.get('exp'), given.get('sig')]
      const isValid =
        exp !== null && sig !== null && /^[1-9]\d{0,11}$/.test(exp) && links.verify([PURPOSE, id], Number(exp), sig)
      if (!isValid) throw new HeadgateError('forbidden', 'This link is invalid or has expired.')
      const file = files.get(id)
      if (!file) throw new HeadgateError('not-found', 'This image is no longer stored. Images are stored for an hour.')
      const { spool } = file
      await sendContent(context, 200, headersOf(file, id), { size: spool.size, read: () => spool.read() })
    },
    async close() {
      await Promise.all([...files.keys()].map(remove))
    },
  }
}

function headersOf({ spool, type }: StoredFile, id: string): ResponseHeaders {
  const shown = SHOWN.test(type)
  return {
    'content-type': shown ? type : 'application/octet-stream',
    'content-length': String(spool.size),
    'content-disposition': `${shown ? 'inline' : 'attachment'}; filename="${id}.${shown ? extensionOf(type) : 'bin'}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
  }
}
