import { HeadgateError } from '@headgate/gateway/ports'

/** Maximum size of a request body in bytes. */
const MOST = 65_536
/** Time limit for a request body in milliseconds. */
const PATIENCE = 30_000

/** Text of a request body. @throws HeadgateError `too-large`, `too-slow`, or `invalid-request` for invalid UTF-8. */
export async function bodyOf(request: Request): Promise<string> {
  if (request.method === 'GET' || request.method === 'HEAD' || !request.body) return ''
  if (Number(request.headers.get('content-length') ?? 0) > MOST) throw tooLarge()
  const reader = request.body.getReader()
  const late = setTimeout(() => reader.cancel(tooSlow()).catch(() => {}), PATIENCE)
  const chunks: Uint8Array[] = []
  let length = 0
  const started = performance.now()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      length += value.byteLength
      if (length > MOST) throw tooLarge()
      chunks.push(value)
    }
  } finally {
    clearTimeout(late)
    reader.cancel().catch(() => {})
  }
  if (performance.now() - started >= PATIENCE) throw tooSlow()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new HeadgateError('invalid-request', 'The body is not valid UTF-8.', { cause })
  }
}

function tooLarge(): HeadgateError {
  return new HeadgateError('too-large', `The body is larger than ${MOST} bytes.`)
}

function tooSlow(): HeadgateError {
  return new HeadgateError('too-slow', 'The body did not arrive in time.')
}
