import type { Check, RemoteSubject } from '../../../checks/check.ts'
import { isObject } from '../../../json.ts'
import { text } from '../scenarios/text.ts'
import { wires } from '../wire/index.ts'

/** The transport, before anything that goes over it. */
export const reachCheck: Check<RemoteSubject> = {
  name: 'reaches its upstream with a request that can be read',
  isGate: true,
  async run({ bench, facts, upstream }) {
    const wire = wires[upstream.format]
    bench.upstream.answer({ kind: 'whole', body: text.answers[upstream.format].body })
    const got = await bench.ask({ path: wire.path(facts.model, false), body: wire.body(text.requests[wire.id], facts.model, false) })
    const [request] = bench.upstream.received
    const said = `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
    if (!request) return [`No request got to the upstream: ${said} Mend \`baseUrl\`, \`path\`, \`hosts\` and \`credential\` first.`]
    return isObject(request.body) ? [] : [`What came to the upstream is no JSON object: mend \`patchRequest\` first. (${said})`]
  },
}
