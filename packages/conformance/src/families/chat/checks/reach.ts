import type { Check } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Transport, checked before everything that uses it. */
export const reachCheck: Check<ChatTarget> = {
  name: 'reaches its upstream with a readable request',
  isGate: true,
  async run({ harness, model, vendor }) {
    const wire = vendor.caller
    harness.upstream.answer(vendor.whole(text))
    const got = await harness.ask({
      path: wire.path(model, false),
      body: wire.body(text.requests[wire.id], model, false),
    })
    const [request] = harness.upstream.received
    const said = `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
    if (!request)
      return [`No request reached the upstream: ${said} Fix \`baseUrl\`, \`path\`, \`hosts\` and \`credential\` first.`]
    return isObject(request.body)
      ? []
      : [`The upstream received a body that is not a JSON object: fix \`patchRequest\` first. (${said})`]
  },
}
