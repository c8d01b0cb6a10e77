import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { HeadgateError } from '@headgate/core/errors'

/** Default of `inMemory`. */
const IN_MEMORY = 1024 * 1024
/** Bytes that all spools of a process keep in memory. Beyond it, each goes to its file with its next bytes. */
const ALL_IN_MEMORY = 16 * IN_MEMORY
/** Bytes of one read of the file. */
const READ_SIZE = 64 * 1024

/** Limits of spooled bytes. */
export interface SpoolLimits {
  /** Maximum bytes of one spool. */
  readonly each: number
  /** Maximum bytes of all spools of the process. */
  readonly total: number
  /** Maximum bytes of the spools of one key; default: `total`. */
  readonly perKey?: number | undefined
  /** Bytes that stay in memory before a spool writes to its file; default 1 MiB. */
  readonly inMemory?: number | undefined
  /** Folder of the files, which is created if it does not exist; default: the system's folder for temporary files. */
  readonly folder?: string | undefined
}

/** Space for the spools of a process. */
export interface SpoolSpace {
  /** Creates an empty spool of a key. It must be closed. */
  create(key?: string): Spool
  /** Bytes of all open spools. */
  readonly held: number
  /** Folder of the files; undefined = the system's folder for temporary files. */
  readonly folder: string | undefined
  /** Sets the limits of spools that are created from now on. */
  setLimits(limits: SpoolLimits): void
}

/**
 * Bytes of one upload or response. Up to 1 MiB stays in memory; more is in a file that has no name, so that it ends
 * with the process.
 */
export interface Spool {
  readonly size: number
  /**
   * Appends bytes. The caller must wait for the promise before the next call.
   * @throws HeadgateError `too-large` above the limit of one spool, `over-limit` if the space or the key's part is full
   */
  write(chunk: Uint8Array): Promise<void> | undefined
  /** Reads a range as chunks. Several readers can read at the same time. */
  read(start?: number, end?: number): AsyncIterable<Buffer>
  /** Reads a range into one buffer, for small ranges. */
  bytes(start: number, end: number): Promise<Buffer>
  /** Frees the memory and the file. Readers fail afterwards. */
  close(): Promise<void>
}

export function createSpoolSpace(limits: SpoolLimits): SpoolSpace {
  const space: SpoolCounts = { held: 0, inMemory: 0, keys: new Map() }
  let current = limits
  return {
    create: (key = '') => new FileSpool(current, space, key),
    get held() {
      return space.held
    },
    get folder() {
      return current.folder
    },
    setLimits(others) {
      current = others
    },
  }
}

/** Bytes of all open spools, in total, in memory and by key. Keys without bytes are left out. */
interface SpoolCounts {
  held: number
  inMemory: number
  readonly keys: Map<string, number>
}

class FileSpool implements Spool {
  size = 0
  private readonly limits: SpoolLimits
  private readonly space: SpoolCounts
  private readonly key: string
  private chunks: Buffer[] = []
  private file: FileHandle | undefined
  private isClosed = false

  constructor(limits: SpoolLimits, space: SpoolCounts, key: string) {
    this.limits = limits
    this.space = space
    this.key = key
  }

  write(chunk: Uint8Array): Promise<void> | undefined {
    const { each, total, perKey = total } = this.limits
    const { space, key } = this
    if (this.size + chunk.length > each) throw tooLargeUpload(each)
    if (space.held + chunk.length > total || (space.keys.get(key) ?? 0) + chunk.length > perKey) throw noSpace()
    const at = this.size
    this.size += chunk.length
    this.take(chunk.length)
    if (this.file) return writeAll(this.file, [chunk], at)
    // A copy: the chunk may be part of a larger buffer.
    this.chunks.push(Buffer.from(chunk))
    this.space.inMemory += chunk.length
    const isFull = this.space.inMemory > ALL_IN_MEMORY || this.size > (this.limits.inMemory ?? IN_MEMORY)
    return isFull ? this.toFile() : undefined
  }

  async *read(start = 0, end = this.size): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += READ_SIZE) yield await this.bytes(at, Math.min(end, at + READ_SIZE))
  }

  async bytes(start: number, end: number): Promise<Buffer> {
    if (this.isClosed) throw new TypeError('The spool is closed.')
    if (!this.file) return this.memory().subarray(start, end)
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start))
    let read = 0
    while (read < bytes.length) {
      const { bytesRead } = await this.file.read(bytes, read, bytes.length - read, start + read)
      if (bytesRead === 0) throw new TypeError(`The spool has only ${start + read} bytes.`)
      read += bytesRead
    }
    return bytes
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.take(-this.size)
    this.forget()
    await this.file?.close()
  }

  /** Counts bytes; a negative number frees them. */
  private take(bytes: number): void {
    const { space, key } = this
    space.held += bytes
    const own = (space.keys.get(key) ?? 0) + bytes
    if (own > 0) space.keys.set(key, own)
    else space.keys.delete(key)
  }

  /** All bytes in one buffer, which stays in place of the chunks. */
  private memory(): Buffer {
    const [first] = this.chunks
    if (this.chunks.length === 1 && first) return first
    const whole = Buffer.concat(this.chunks)
    this.chunks = [whole]
    return whole
  }

  private async toFile(): Promise<void> {
    const file = await openNameless(this.limits.folder)
    if (this.isClosed) return file.close()
    this.file = file
    const { chunks } = this
    this.forget()
    await writeAll(file, chunks, 0)
  }

  /** Lets go of the bytes in memory. */
  private forget(): void {
    for (const { length } of this.chunks) this.space.inMemory -= length
    this.chunks = []
  }
}

/** `O_TMPFILE` of Linux, with `O_RDWR`: a file that never has a name. */
const NAMELESS = 0o20200000 | 2
const MODE = 0o600

/** Opens a file without a name, so that it ends with the process, however the process ends. */
async function openNameless(folder: string | undefined): Promise<FileHandle> {
  // Loaded here, because edge runtimes have no files. Uploads of up to 1 MiB work there.
  const [{ mkdir, open, unlink }, { tmpdir }, { join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:os'),
    import('node:path'),
  ])
  const place = folder ?? tmpdir()
  if (folder !== undefined) await mkdir(folder, { recursive: true, mode: 0o700 })
  // Some file systems, such as NFS, do not support it.
  const nameless = process.platform === 'linux' ? await open(place, NAMELESS, MODE).catch(() => undefined) : undefined
  if (nameless) return nameless
  const path = join(place, `headgate-${randomUUID()}`)
  const file = await open(path, 'wx+', MODE)
  await unlink(path)
  return file
}

function noSpace(): HeadgateError {
  return new HeadgateError('over-limit', 'The gateway has no space left for this upload. Try again in one second.', {
    retryAfterMs: 1_000,
  })
}

/** Errors of a file system or a user that has no space left. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

async function writeAll(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<void> {
  let at = position
  for (const chunk of chunks) {
    for (let written = 0; written < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, written, chunk.length - written, at).catch((error) => {
        throw FULL.has(error.code) ? noSpace() : error
      })
      written += bytesWritten
      at += bytesWritten
    }
  }
}

/** Error for an upload above the limit of one request. */
export function tooLargeUpload(limit: number): HeadgateError {
  return new HeadgateError('too-large', `The upload is larger than ${limit} bytes, the limit of the gateway.`)
}
