import type { VendorFailures } from '../../../failures/failure.ts'
import { chatCompletionsFailures } from './chat-completions.ts'

/**
 * The vendor's failures are those of its chat completions, but within a stream. @see
 * https://platform.openai.com/docs/api-reference/responses-streaming/error
 */
export const responsesFailures: VendorFailures = {
  ...chatCompletionsFailures,
  frame(message) {
    const event = { type: 'error', code: 'server_error', message, param: null, sequence_number: 4 }
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`
  },
}
