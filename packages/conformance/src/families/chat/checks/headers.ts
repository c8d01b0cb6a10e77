import type { Check } from '../../../checks/check.ts'
import { object } from '../../../json.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Headers between caller and upstream. */
export const headersCheck: Check<ChatTarget> = {
  name: "forwards the caller's headers that the upstream understands, and no cookies of the upstream",
  async run({ harness, model, upstream, vendor }) {
    const wire = vendor.caller
    const { forward = [] } = upstream
    const headers = { 'set-cookie': 'session=of-the-upstream', 'access-control-allow-origin': '*', server: 'vendor' }
    harness.upstream.answer({ ...vendor.whole(text), headers })
    const got = await harness.ask({
      path: wire.path(model, false),
      body: wire.body(text.requests[wire.id], model, false),
      headers: Object.fromEntries(forward.map((name) => [name, `${name}-of-the-caller`])),
    })
    const arrived = harness.upstream.received[0]?.headers ?? {}
    return [
      ...forward
        .filter((name) => arrived[name] !== `${name}-of-the-caller`)
        .map((name) => `The caller's header \`${name}\` was not sent: add it to \`forward\`.`),
      ...Object.keys(headers)
        .filter((name) => got.headers[name] !== undefined)
        .map((name) => `The upstream's header \`${name}\` reached the caller: remove it from \`answer\`.`),
    ]
  },
}

/** Fields that the upstream rejects with a 400. */
export const refusedFieldsCheck = (refuses: readonly string[]): Check<ChatTarget> => ({
  name: 'drops fields that the upstream rejects, and declares them',
  async run({ harness, model, vendor }) {
    const wire = vendor.caller
    harness.upstream.answer(vendor.whole(text))
    const fields = Object.fromEntries(refuses.map((field) => [field, 1]))
    const got = await harness.ask({
      path: wire.path(model, false),
      body: { ...wire.body(text.requests[wire.id], model, false), ...fields },
    })
    const body = object(harness.upstream.received[0]?.body)
    const lost = got.headers['headgate-lost'] ?? ''
    return refuses.flatMap((field) => [
      ...(field in body
        ? [`The field \`${field}\` was sent, but the upstream rejects it: add it to \`drop\` or \`rename\`.`]
        : []),
      ...(field in body || lost.includes(field) || isRenamed(harness.provider.chat, field)
        ? []
        : [
            `The field \`${field}\` was dropped, and headgate-lost does not name it: use \`drop\`, or declare it with \`call.lose('${field}', …)\`.`,
          ]),
    ])
  },
})

function isRenamed(chat: readonly object[] = [], field: string): boolean {
  return chat.some((support) => Object.hasOwn(object(object(support)['rename']), field))
}
