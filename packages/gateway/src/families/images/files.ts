import { randomUUID } from 'node:crypto'
import { HeadgateError } from '@headgate/core/errors'
import type { ResponseHeaders } from '../../edge/sink.ts'
import type { FileLinkOptions } from '../../ports/files.ts'
import { type Context, sendContent } from '../../serve/context.ts'
import { createSpoolSpace, type Spool, type SpoolSpace } from '../../uploads/spool.ts'
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
  /** Frees all files, unless a gateway that replaces this one uses them. */
  close(): Promise<void>
}

/** Files of a gateway and of its successors, by the space that they share. */
const stores = new WeakMap<SpoolSpace, FileStore>()

export function openImageFiles(
  shared: SpoolSpace,
  { publicUrl, links }: FileLinkOptions,
  basePath: string,
): ImageFiles {
  const store = stores.get(shared) ?? new FileStore(shared.folder)
  stores.set(shared, store)
  store.users++
  return {
    async add(picture, owner) {
      const id = await store.add(picture, owner)
      if (id === undefined) return undefined
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
      const file = store.get(id)
      if (!file) throw new HeadgateError('not-found', 'This image is no longer stored. Images are stored for an hour.')
      const { spool } = file
      await sendContent(context, 200, headersOf(file, id), { size: spool.size, read: () => spool.read() })
    },
    async close() {
      store.users--
      if (store.users === 0) await store.clear()
    },
  }
}

/** Stored files with their limits. */
class FileStore {
  /** Number of gateways that use it. */
  users = 0
  private readonly space: SpoolSpace
  private readonly files = new Map<string, StoredFile>()
  /** Bytes by owner. */
  private readonly held = new Map<string, number>()

  constructor(folder: string | undefined) {
    this.space = createSpoolSpace({ ...LIMITS, folder })
  }

  /** Returns the id of the file; undefined if there is no space. */
  async add(picture: Picture, owner: string): Promise<string | undefined> {
    const bytes = bytesOf(picture)
    if ((this.held.get(owner) ?? 0) + bytes.length > LIMITS.key || this.files.size >= MAX_FILES) return undefined
    this.count(owner, bytes.length)
    const spool = this.space.create()
    try {
      await spool.write(bytes)
    } catch {
      this.count(owner, -bytes.length)
      await spool.close()
      return undefined
    }
    const id = randomUUID()
    const timer = setTimeout(() => void this.remove(id), LIFETIME_MS).unref()
    this.files.set(id, { spool, type: picture.type, owner, timer })
    return id
  }

  get(id: string): StoredFile | undefined {
    return this.files.get(id)
  }

  async clear(): Promise<void> {
    await Promise.all([...this.files.keys()].map((id) => this.remove(id)))
  }

  private async remove(id: string): Promise<void> {
    const file = this.files.get(id)
    if (!file) return
    this.files.delete(id)
    clearTimeout(file.timer)
    this.count(file.owner, -file.spool.size)
    await file.spool.close()
  }

  private count(owner: string, bytes: number): void {
    const sum = (this.held.get(owner) ?? 0) + bytes
    if (sum > 0) this.held.set(owner, sum)
    else this.held.delete(owner)
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
