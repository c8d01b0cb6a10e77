import { isDeepStrictEqual } from 'node:util'
import type { ChatSupport, Json, ProviderInstance } from '@headgate/core/provider'
import type { Check } from '../../../checks/check.ts'
import type { Harness } from '../../../harness.ts'
import { isObject, object } from '../../../json.ts'
import { options } from '../scenarios/options.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'

/** Fields that some upstreams take from the path, not from the body. */
const IN_PATH = ['model', 'stream']

/** Compares fields dropped by a patch with its declared losses. */
export const declaredCheck: Check<ChatTarget> = {
  name: 'declares every field that `patchRequest` drops',
  async run({ adapter, open, harness, model, vendor }) {
    if (!harness.provider.chat?.some((support) => 'patchRequest' in support)) return []
    const wire = vendor.caller
    const question = {
      path: wire.path(model, false),
      body: { ...wire.body(text.requests[wire.id], model, false), ...options[wire.id] },
    }
    const ask = async ({ upstream: server, ask, rows }: Harness): Promise<{ body: Json; lost: string[] }> => {
      server.answer(vendor.whole(text))
      await ask(question)
      return { body: object(server.received[0]?.body), lost: (rows.at(-1)?.losses ?? []).map(({ path }) => path) }
    }
    const plain = await open(Object.assign((config: unknown) => withoutPatch(adapter(config)), adapter))
    try {
      const { body: whole } = await ask(plain)
      const { body, lost } = await ask(harness)
      return missingPaths(whole, body)
        .filter((path) => !lost.some((one) => path === one || path.startsWith(`${one}.`)))
        .map(
          (path) =>
            `The field \`${path}\` was not sent, and headgate-lost does not name it: \`patchRequest\` must declare it with \`call.lose('${path}', …)\`, or add it to \`drop\`.`,
        )
    } finally {
      await plain.close()
    }
  },
}

function withoutPatch(provider: ProviderInstance): ProviderInstance {
  const { chat = [] } = provider
  return { ...provider, chat: chat.map((support) => ('run' in support ? support : bare(support))) }
}

function bare({ patchRequest, ...support }: ChatSupport): ChatSupport {
  return support
}

/** Paths of fields that the patched body has neither at the same path nor under a new name. */
function missingPaths(whole: Json, patched: Json): string[] {
  const moved = newValues(whole, patched)
  const missing = (before: Json, after: Json, path: readonly string[]): string[] =>
    Object.entries(before).flatMap(([key, value]) => {
      const at = [...path, key]
      if (path.length === 0 && IN_PATH.includes(key)) return []
      if (key in after) return isObject(value) && isObject(after[key]) ? missing(value, after[key], at) : []
      return moved.some((one) => isDeepStrictEqual(one, value)) ? [] : at.join('.')
    })
  return missing(whole, patched, [])
}

/** Values of a body, at any depth, that the other body does not have at the same path. */
function newValues(before: unknown, after: unknown): unknown[] {
  if (isDeepStrictEqual(before, after)) return []
  const inner = isObject(after) || Array.isArray(after) ? Object.entries(after) : []
  return [after, ...inner.flatMap(([key, value]) => newValues(Object(before)[key], value))]
}
