import { HeadgateError, invalid } from '@headgate/core/errors'

/** Maximum number of parts of a form. */
const MAX_PARTS = 256
/** Maximum size of the headers of a part in bytes. */
const MAX_HEAD = 8 * 1024
/** Maximum white space after a boundary in bytes. */
const MAX_PADDING = 64
/** Maximum length of a boundary (RFC 2046, section 5.1.1). */
const MAX_BOUNDARY = 70

const CRLF = Buffer.from('\r\n')
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const SPACE = 0x20
const TAB = 0x09
const DASH = 0x2d
const CR = 0x0d
const LF = 0x0a

/** Part of a form. Its content are the bytes of the body from `start` to `end`. */
export interface UploadPart {
  /** Name of the field, such as `file` or `image[]`. */
  readonly name: string
  /** Name of the file as the caller sent it; undefined for a plain field. */
  readonly filename: string | undefined
  /** Media type in lower case as the caller sent it, without parameters; undefined = not sent. */
  readonly type: string | undefined
  /** Offset of the first byte of the content in the body. */
  readonly start: number
  /** Offset after the last byte of the content. */
  readonly end: number
}

/**
 * Scanner of a multipart form. It stores positions instead of contents, so its memory does not depend on the size of
 * the form. Work is linear in the size of the body for any division into chunks.
 * @see https://www.rfc-editor.org/rfc/rfc7578
 */
export interface MultipartScanner {
  /**
   * Scans the next bytes of the body.
   * @throws HeadgateError `invalid-request` for a malformed form, `too-large` for too many parts
   */
  write(chunk: Uint8Array): void
  /**
   * Ends the body.
   * @returns its parts, in their order
   * @throws HeadgateError `invalid-request` if the last boundary is missing
   */
  end(): readonly UploadPart[]
}

/**
 * The boundary of a `content-type` header.
 * @example boundaryOf('multipart/form-data; boundary="a b"') // 'a b'
 * @throws HeadgateError `invalid-request` if the header has no valid boundary
 */
export function boundaryOf(contentType: string): string {
  const boundary = parametersOf(contentType).get('boundary')
  if (boundary === undefined || boundary === '' || boundary.length > MAX_BOUNDARY || !isPrintable(boundary))
    throw invalid(
      'content-type',
      'A multipart form needs a `boundary` of 1 to 70 visible characters in `content-type`.',
    )
  return boundary
}

/** True for a request whose body is a multipart form. */
export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^multipart\/form-data\s*(?:;|$)/i.test(contentType)
}

export function createMultipartScanner(boundary: string): MultipartScanner {
  return new Scanner(boundary)
}

type State = 'preamble' | 'after-boundary' | 'head' | 'content' | 'epilogue'

class Scanner implements MultipartScanner {
  private readonly delimiter: Buffer
  private readonly parts: UploadPart[] = []
  private state: State = 'preamble'
  /** Bytes that were received and not scanned yet. A body begins as if a line had ended before it. */
  private rest: Buffer = CRLF
  /** Offset of `rest` in the body. */
  private offset = -CRLF.length
  private head: Omit<UploadPart, 'start' | 'end'> | undefined
  private start = 0
  /** Offset of the boundary that was found last. */
  private boundaryAt = 0

  constructor(boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  write(chunk: Uint8Array): void {
    if (this.state === 'epilogue') return
    const data = this.rest.length === 0 ? bufferOf(chunk) : Buffer.concat([this.rest, chunk])
    let at = 0
    let next = this.step(data, at)
    while (next !== undefined) {
      at = next
      next = this.step(data, at)
    }
    this.keep(data, at)
  }

  end(): readonly UploadPart[] {
    if (this.state !== 'epilogue')
      throw invalid(
        undefined,
        this.state === 'preamble'
          ? 'The form has no part. Its lines must end with CR LF, and its boundary must be the one in `content-type`.'
          : 'The form is incomplete: its last boundary is missing.',
      )
    return this.parts
  }

  /** Keeps what is needed to continue: all of a head, and as much content as may begin a boundary. */
  private keep(data: Buffer, at: number): void {
    if (this.state === 'epilogue') {
      this.rest = Buffer.alloc(0)
      return
    }
    const isText = this.state === 'preamble' || this.state === 'content'
    const from = isText ? Math.max(at, data.length - this.delimiter.length + 1) : at
    // A copy, so that the chunk can be freed.
    this.rest = Buffer.from(data.subarray(from))
    this.offset += from
  }

  /** Scans one element that begins at `at`. Returns the position after it; undefined = more bytes are needed. */
  private step(data: Buffer, at: number): number | undefined {
    switch (this.state) {
      case 'preamble':
      case 'content':
        return this.findBoundary(data, at)
      case 'after-boundary':
        return this.endBoundary(data, at)
      case 'head':
        return this.readHead(data, at)
      case 'epilogue':
        return undefined
    }
  }

  private findBoundary(data: Buffer, at: number): number | undefined {
    const found = data.indexOf(this.delimiter, at)
    if (found < 0) return undefined
    this.boundaryAt = this.offset + found
    this.state = 'after-boundary'
    return found + this.delimiter.length
  }

  /** Reads what follows a boundary: `--` at the end of the form, otherwise white space and a line end. */
  private endBoundary(data: Buffer, at: number): number | undefined {
    let to = at
    while (data[to] === SPACE || data[to] === TAB) to++
    if (to - at > MAX_PADDING) return this.isContent(at)
    if (data.length < to + 2) return undefined
    const isLast = to === at && data[at] === DASH && data[at + 1] === DASH
    if (!isLast && !(data[to] === CR && data[to + 1] === LF)) return this.isContent(at)
    this.endPart()
    this.state = isLast ? 'epilogue' : 'head'
    // The line end stays: a head without headers is the line end and an empty line.
    return to
  }

  /** Continues after text that only begins like a boundary. */
  private isContent(at: number): number {
    this.state = this.head ? 'content' : 'preamble'
    return at
  }

  private endPart(): void {
    if (!this.head) return
    this.parts.push({ ...this.head, start: this.start, end: Math.max(this.start, this.boundaryAt) })
    this.head = undefined
  }

  private readHead(data: Buffer, at: number): number | undefined {
    const found = data.indexOf(END_OF_HEAD, at)
    if (found < 0 ? data.length - at > MAX_HEAD : found - at > MAX_HEAD)
      throw invalid(undefined, `The headers of a part of the form are larger than ${MAX_HEAD} bytes.`)
    if (found < 0) return undefined
    if (this.parts.length === MAX_PARTS)
      throw new HeadgateError('too-large', `The form has more than ${MAX_PARTS} parts.`)
    this.head = headOf(data.subarray(Math.min(at + CRLF.length, found), found))
    this.state = 'content'
    this.start = this.offset + found + END_OF_HEAD.length
    // Empty content: the line end of the head is also the one before the boundary.
    return found + CRLF.length
  }
}

function bufferOf(chunk: Uint8Array): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}

/** Types of parts that are files, also without a file name. */
const FILE_TYPE = /^(?:audio|image|video)\/|^application\/octet-stream$/

const utf8 = new TextDecoder('utf-8', { fatal: true })

function headOf(bytes: Buffer): Omit<UploadPart, 'start' | 'end'> {
  const headers = new Map<string, string>()
  for (const line of decoded(bytes).split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 1) throw invalid(undefined, 'A part of the form has an invalid header.')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const disposition = headers.get('content-disposition') ?? ''
  const parameters = parametersOf(disposition)
  const name = parameters.get('name')
  if (!/^form-data\s*(?:;|$)/i.test(disposition) || name === undefined || name === '')
    throw invalid(undefined, 'Each part of the form needs the header `content-disposition: form-data` with a name.')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (encoding === 'base64' || encoding === 'quoted-printable')
    throw invalid(name, `The field ${name} is sent as ${encoding}. Send its bytes.`)
  const type = typeOf(headers.get('content-type'))
  // Clients that send bytes name no file, for example OpenAI's for Java.
  const unnamed = type !== undefined && FILE_TYPE.test(type) ? '' : undefined
  return { name, filename: filenameOf(parameters) ?? unnamed, type }
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid(undefined, 'The headers of a part of the form are not valid UTF-8.')
  }
}

function typeOf(header: string | undefined): string | undefined {
  return header?.split(';', 1)[0]?.trim().toLowerCase() || undefined
}

/** Name of the file: `filename*` (RFC 5987) before `filename`. */
function filenameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const extended = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '')?.[1]
  if (extended === undefined) return parameters.get('filename')
  try {
    return decodeURIComponent(extended)
  } catch {
    return parameters.get('filename')
  }
}

/**
 * Parameters of a header by lower-case name. In a quoted value, a backslash escapes only a quote or a backslash, since
 * some clients send paths of Windows.
 */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  const pattern = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/y
  pattern.lastIndex = Math.max(header.indexOf(';'), 0)
  for (let found = pattern.exec(header); found; found = pattern.exec(header)) {
    const [, name = '', quoted, plain = ''] = found
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? plain.trim())
    while (header[pattern.lastIndex] === ' ') pattern.lastIndex++
  }
  return parameters
}

function isPrintable(text: string): boolean {
  return /^[\x20-\x7e]+$/.test(text)
}
