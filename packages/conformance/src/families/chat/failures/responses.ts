import type { VendorFailures } from '../../../failures/failure.ts'
import { chatCompletionsFailures } from './chat-completions.ts'

/** Failures of chat completions, with a separate frame within a stream. */
export const responsesFailures: VendorFailures = {
  ...chatCompletionsFailures,
  frame(message) {
    const event = { type: 'error', code: 'server_error', message, param: null, sequence_number: 4 }
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`
  },
}
