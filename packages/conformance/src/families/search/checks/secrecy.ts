import type { UpstreamReply } from '../../../upstream.ts'
import { nodesOf, put } from '../body.ts'
import { resultsOf } from '../results.ts'
import { createVendor, errorBody, jsonReply } from '../vendor.ts'
import type { RemoteSearchTarget, SearchCheck } from './check.ts'

/** Places where a message of the upstream could expose the key. */
export const secrecyCheck = (secret: string): SearchCheck<RemoteSearchTarget> => ({
  name: 'keeps its key out of every response, error, warning and usage row',
  async run({ harness, upstream }) {
    const echo = `The key ${secret} (Bearer ${secret}) is not known.`
    const headers = { 'set-cookie': `key=${secret}`, 'x-key': secret }
    const failures = [400, 401, 402, 403, 422, 429, 500, 503].flatMap((status): UpstreamReply[] => [
      jsonReply(echoing(errorBody(upstream, status), echo), status, headers),
      { kind: 'whole', status, headers, body: echo },
    ])
    for (const reply of [...failures, jsonReply(echoing(errorBody(upstream, 400), echo), 200, headers)]) {
      harness.upstream.answer(reply)
      await harness.search({ q: 'gateways' })
    }
    const vendor = createVendor(upstream, resultsOf(10))
    harness.upstream.answer((request) => withHeaders(vendor.answer(request), headers))
    await harness.search({ q: 'gateways' })
    const told = harness.said.filter((said) => said.includes(secret))
    const [first] = told
    if (first === undefined) return []
    const at = first.indexOf(secret)
    const shown = `…${first.slice(Math.max(0, at - 80), at)}<the key>…`
    return [
      `The backend's key was exposed ${told.length} times, first in: ${shown} Do not return strings from \`readError\` that can contain it.`,
    ]
  },
})

/** Error with one string in all of its string fields. */
function echoing(body: string | object, echo: string): string | object {
  if (typeof body === 'string') return echo
  return Object(
    nodesOf(body)
      .filter(([, value]) => typeof value === 'string')
      .reduce<unknown>((rest, [path]) => put(rest, path, echo), body),
  )
}

function withHeaders(reply: UpstreamReply, headers: Readonly<Record<string, string>>): UpstreamReply {
  return reply.kind === 'whole' ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
}
