import type { Check } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { text } from '../scenarios/text.ts'
import type { ChatSubject } from '../subject.ts'

/** The transport, before anything that goes over it. */
export const reachCheck: Check<ChatSubject> = {
  name: 'reaches its upstream with a request that can be read',
  isGate: true,
  async run({ bench, model, vendor }) {
    const wire = vendor.caller
    bench.upstream.answer(vendor.whole(text))
    const got = await bench.ask({
      path: wire.path(model, false),
      body: wire.body(text.requests[wire.id], model, false),
    })
    const [request] = bench.upstream.received
    const said = `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
    if (!request)
      return [`No request got to the upstream: ${said} Mend \`baseUrl\`, \`path\`, \`hosts\` and \`credential\` first.`]
    return isObject(request.body)
      ? []
      : [`What came to the upstream is no JSON object: mend \`patchRequest\` first. (${said})`]
  },
}
