import type { BackgroundResponses, Reply } from '../../canonical/format.ts'
import type { Json } from '../../canonical/json.ts'
import type { HeadgateError } from '../../errors.ts'
import { writeError, writeEvent, writeFailure } from './error.ts'
import { writeEcho, writeHead } from './response-write.ts'

/**
 * Writer of responses that are created in the background.
 * @see https://platform.openai.com/docs/guides/background
 */
export const background: BackgroundResponses = {
  queued: (reply) => responseOf(reply, { status: 'in_progress', error: null }),
  announced: (response) => writeEvent('response.created', { sequence_number: 0, response }),
  failed: (response, error, next) => writeFailure(error, { response, next }),
  ended(answer, error) {
    if (error.kind === 'canceled') return { ...answer, status: 'cancelled' }
    const { code, type, message } = errorOf(error)
    return { ...answer, status: 'failed', error: { code: code ?? type, message } }
  },
  isOpen: ({ status }) => status === 'queued' || status === 'in_progress',
}

function errorOf(error: HeadgateError): Json {
  return writeError(error, '')['error'] as Json
}

function responseOf(reply: Reply, state: Json): Json {
  const head = { ...writeHead({}, reply), ...writeEcho(reply) }
  return { ...head, completed_at: null, incomplete_details: null, output: [], usage: null, ...state }
}
