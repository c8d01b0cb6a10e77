import type { Check } from '../../../checks/check.ts'
import type { UpstreamReply } from '../../../upstream.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Places where a message of the upstream could expose the key. */
export const secrecyCheck = (secrets: readonly string[]): Check<ChatTarget> => ({
  name: 'keeps its key out of every response, error, warning and usage row',
  async run({ harness, scope, model, vendor }) {
    const { body } = vendor.failures
    const wire = vendor.caller
    const echo = `The key ${secrets.join(' ')} (Bearer ${secrets[0]}) is not known.`
    const begun = vendor.frames(text).slice(0, 3)
    const error = vendor.errorFrame(echo)
    const headers = { 'set-cookie': `key=${secrets[0]}`, 'x-key': secrets.join(' ') }
    const replies: UpstreamReply[] = [
      ...[400, 401, 403, 404, 429, 500].map(
        (status): UpstreamReply => ({ kind: 'whole', status, headers, body: body(status, echo) }),
      ),
      { kind: 'whole', status: 500, headers, body: echo },
      { ...vendor.whole(text), headers },
      ...(error ? [[error], [...begun, error]].map((pieces) => vendor.stream(pieces, 'close', headers)) : []),
    ]
    for (const [index, reply] of replies.entries()) {
      for (const streamed of scope === 'short' ? [index % 2 === 0 || reply.kind === 'stream'] : [false, true]) {
        harness.upstream.answer(reply)
        await harness.ask({
          path: wire.path(model, streamed),
          body: wire.body(text.requests[wire.id], model, streamed),
        })
      }
    }
    harness.upstream.answer({ kind: 'whole', status: 500, headers, body: body(500, echo) })
    await harness.ready()
    const told = harness.said.filter((said) => secrets.some((secret) => said.includes(secret)))
    return told.length === 0
      ? []
      : [
          `The provider's key was exposed ${told.length} times, first in: ${hide(told[0] ?? '', secrets)} Remove it in \`readError\`, and do not list headers in \`answer\` that repeat it.`,
        ]
  },
})

function hide(said: string, secrets: readonly string[]): string {
  const at = Math.min(...secrets.map((secret) => said.indexOf(secret)).filter((place) => place >= 0))
  return `…${said.slice(Math.max(0, at - 80), at)}<the key>…`
}
