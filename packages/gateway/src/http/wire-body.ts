import { randomUUID } from 'node:crypto'
import type { Body, Content, FormPart } from '@headgate/core/contract'

/** Serialized body of a request. */
export interface WireBody {
  readonly bytes: Uint8Array | string | Content
  readonly type: string
}

/** Quoted value in the header of a part. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`
}

function headOf({ name, filename, type }: FormPart): string {
  const file = filename === undefined ? '' : `; filename=${quoted(filename)}`
  const mime = type ?? (filename === undefined ? undefined : 'application/octet-stream')
  return `Content-Disposition: form-data; name=${quoted(name)}${file}\r\n${mime === undefined ? '' : `Content-Type: ${mime}\r\n`}\r\n`
}

/** True for bytes that are read when they are sent. */
export function isContent(bytes: Uint8Array | string | Content): bytes is Content {
  return typeof bytes === 'object' && 'read' in bytes
}

/** Number of bytes of a body. */
export function sizeOf(bytes: Uint8Array | string | Content): number {
  if (typeof bytes === 'string') return Buffer.byteLength(bytes)
  return isContent(bytes) ? bytes.size : bytes.length
}

/** @see https://www.rfc-editor.org/rfc/rfc7578 */
function multipart(parts: readonly FormPart[]): WireBody {
  const boundary = `headgate-${randomUUID()}`
  const type = `multipart/form-data; boundary=${boundary}`
  const pieces = parts.flatMap((part) => [`--${boundary}\r\n${headOf(part)}`, part.value, '\r\n'])
  const all = [...pieces, `--${boundary}--\r\n`].map((piece) =>
    typeof piece === 'string' ? Buffer.from(piece) : piece,
  )
  const whole = all.filter((piece): piece is Buffer => !isContent(piece))
  return { bytes: whole.length === all.length ? Buffer.concat(whole) : joined(all), type }
}

function joined(pieces: readonly (Uint8Array | Content)[]): Content {
  return {
    size: pieces.reduce((sum, piece) => sum + sizeOf(piece), 0),
    async *read() {
      for (const piece of pieces) {
        if (isContent(piece)) yield* piece.read()
        else yield piece
      }
    },
  }
}

export function wireBody(body: Body): WireBody {
  if ('json' in body) return { bytes: JSON.stringify(body.json), type: 'application/json' }
  return 'form' in body ? multipart(body.form) : body
}
