import { type ErrorKind, type HttpResponse, number, object, text, type UpstreamError } from '@headgate/core/provider'

/** Error kinds by service code, for codes that add to the status. */
const CODES: Readonly<Record<number, ErrorKind>> = {
  1100: 'our-credential',
  1101: 'our-quota',
  1102: 'our-quota',
  1103: 'our-credential',
  1300: 'content-policy',
  1301: 'content-policy',
  1302: 'rate-limited',
  1303: 'rate-limited',
  1304: 'our-credential',
}

/** Reads an error with a service code. Some errors have status 200. */
export function readError({ status, body }: HttpResponse): UpstreamError | undefined {
  const code = number(object(body)?.['code'])
  if (code === undefined || code === 0) return undefined
  const message = text(object(body)?.['message']) ?? ''
  const kind = CODES[code] ?? ofRange(code, message)
  if (kind !== undefined) return { kind, message }
  return status < 400 ? { kind: 'upstream', message } : undefined
}

function ofRange(code: number, message: string): ErrorKind | undefined {
  if (code === 1203) return /model/i.test(message) ? 'unknown-model' : 'not-found'
  if (code >= 1000 && code < 1100) return 'our-credential'
  return code >= 1200 && code < 1300 ? 'invalid-request' : undefined
}
