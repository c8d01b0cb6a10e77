import type { Check } from '../../../checks/check.ts'
import { object, objects } from '../../../json.ts'
import { unacceptedFields } from '../accepted.ts'
import type { FormatFacts } from '../facts.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Message fields that OpenAI clients send back. A field with a value must be declared as a loss. */
const SENT_BACK = { name: 'ada', refusal: null, annotations: [] } as const
const LOSS = 'messages[*].name'

/** Request fields that the vendor does not accept. */
export const acceptedFieldsCheck = ({ source, fields }: NonNullable<FormatFacts['accepts']>): Check<ChatTarget> => ({
  name: 'sends only message fields that the vendor accepts, and declares the others as lost',
  async run({ harness, model, vendor }) {
    const wire = vendor.caller
    if (wire.id !== 'chat-completions') return []
    harness.upstream.answer(vendor.whole(text))
    const { messages, ...rest } = wire.body(text.requests[wire.id], model, false)
    const got = await harness.ask({
      path: wire.path(model, false),
      body: { ...rest, messages: objects(messages).map((message) => Object.assign({}, message, SENT_BACK)) },
    })
    const body = object(harness.upstream.received[0]?.body)
    const isDeclared =
      fields['messages[user]']?.includes('name') !== false || (got.headers['headgate-lost'] ?? '').includes(LOSS)
    return [
      ...unacceptedFields(body, fields).map(
        (path) => `The field \`${path}\` was sent, but the vendor does not accept it (${source}): use \`accepts\`.`,
      ),
      ...(isDeclared
        ? []
        : [`headgate-lost does not name \`${LOSS}\`: use \`accepts\`, or declare it by \`call.lose('${LOSS}', …)\`.`]),
    ]
  },
})
