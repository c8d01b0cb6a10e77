import { randomUUID } from 'node:crypto'
import type { Body, FormPart } from '@headgate/core/contract'

/** Serialized body of a request. */
export interface WireBody {
  readonly bytes: Uint8Array | string
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

/** @see https://www.rfc-editor.org/rfc/rfc7578 */
function multipart(parts: readonly FormPart[]): WireBody {
  const boundary = `headgate-${randomUUID()}`
  const pieces = parts.flatMap((part) => [`--${boundary}\r\n${headOf(part)}`, part.value, '\r\n'])
  const bytes = Buffer.concat(
    [...pieces, `--${boundary}--\r\n`].map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  )
  return { bytes, type: `multipart/form-data; boundary=${boundary}` }
}

export function wireBody(body: Body): WireBody {
  if ('json' in body) return { bytes: JSON.stringify(body.json), type: 'application/json' }
  return 'form' in body ? multipart(body.form) : body
}
