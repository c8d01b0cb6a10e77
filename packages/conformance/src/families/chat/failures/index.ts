import type { VendorFailures } from '../../../failures/failure.ts'
import type { KitFormat } from '../meaning.ts'
import { chatCompletionsFailures } from './chat-completions.ts'
import { generateContentFailures } from './generate-content.ts'
import { messagesFailures } from './messages.ts'
import { responsesFailures } from './responses.ts'

export type { Failure, VendorFailures } from '../../../failures/failure.ts'
export { transportFailures } from '../../../failures/transport.ts'

/** Failures of the vendor of each format. */
export const failures: Readonly<Record<KitFormat, VendorFailures>> = {
  'chat-completions': chatCompletionsFailures,
  messages: messagesFailures,
  'generate-content': generateContentFailures,
  responses: responsesFailures,
}
