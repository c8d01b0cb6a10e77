import type { Check, RemoteSubject } from '../../../checks/check.ts'
import { framesOf } from '../../../pieces.ts'
import type { Reply } from '../../../upstream.ts'
import { failures } from '../failures/index.ts'
import { text } from '../scenarios/text.ts'
import { wires } from '../wire/index.ts'

/** Where the key may turn up: in what the upstream says of it. */
export const secrecyCheck = (secret: string): Check<RemoteSubject> => ({
  name: 'keeps its key out of every answer, error, warning and usage row',
  async run({ bench, facts, upstream }) {
    const { body, frame } = failures[upstream.format]
    const wire = wires[upstream.format]
    const echo = `The key ${secret} (Bearer ${secret}) is not known.`
    const begun = framesOf(text.answers[upstream.format].stream).slice(0, 3)
    const headers = { 'set-cookie': `key=${secret}`, 'x-key': secret }
    const replies: Reply[] = [
      ...[400, 401, 403, 404, 429, 500].map((status): Reply => ({ kind: 'whole', status, headers, body: body(status, echo) })),
      { kind: 'whole', status: 500, headers, body: echo },
      { kind: 'whole', headers, body: text.answers[upstream.format].body },
      { kind: 'stream', headers, pieces: [Buffer.from(frame(echo))] },
      { kind: 'stream', headers, pieces: [...begun, Buffer.from(frame(echo))] },
    ]
    for (const reply of replies) {
      for (const streamed of [false, true]) {
        bench.upstream.answer(reply)
        await bench.ask({ path: wire.path(facts.model, streamed), body: wire.body(text.requests[wire.id], facts.model, streamed) })
      }
    }
    bench.upstream.answer({ kind: 'whole', status: 500, headers, body: body(500, echo) })
    await bench.ready()
    const told = bench.said.filter((said) => said.includes(secret))
    return told.length === 0
      ? []
      : [
          `The provider's key was told to the outside ${told.length} times, first in: ${hide(told[0] ?? '', secret)} Take it out in \`readError\`, and name no header in \`answer\` that repeats it.`,
        ]
  },
})

function hide(said: string, secret: string): string {
  const at = said.indexOf(secret)
  return `…${said.slice(Math.max(0, at - 80), at)}<the key>…`
}
