import { inDollars } from '../../cost/dollars.ts'
import { sendJson } from '../../edge/error-response.ts'
import { responseOf } from '../../edge/operation.ts'
import type { KeyInfo, KeyUse } from '../../ports/key-info.ts'
import type { Principal } from '../../ports/ledger.ts'
import { DEFAULT_CLASS } from '../../ports/service-class.ts'
import type { Family } from '../../serve/family.ts'
import { modelsOf, searchesOf } from '../../serve/permission.ts'
import { type KeyAnswer, keySchema } from './schema.ts'

const EVERYTHING: readonly string[] = ['*']

type WrittenUse = NonNullable<KeyAnswer['used']>['all']

function seconds(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1_000)
}

function writtenUse({ requests, input, output, charged, unpriced }: KeyUse): WrittenUse {
  return { requests, input_tokens: input, output_tokens: output, dollars: inDollars(BigInt(charged)), unpriced }
}

function writtenKey(principal: Principal, { createdAt, expiresAt, used }: KeyInfo): KeyAnswer {
  const {
    id,
    name = null,
    scopes = [],
    families = EVERYTHING,
    providers = EVERYTHING,
    policies = null,
    labels = null,
    class: serviceClass = DEFAULT_CLASS,
    weight = 1,
    tracing = 'parent',
    addresses = null,
    environment = null,
  } = principal
  return {
    object: 'headgate.key',
    id,
    name,
    models: [...(modelsOf(principal) ?? EVERYTHING)],
    search: [...(searchesOf(principal) ?? EVERYTHING)],
    families: [...families],
    providers: [...providers],
    scopes: [...scopes],
    policies: policies && [...policies],
    labels: labels && [...labels],
    class: serviceClass,
    weight,
    tracing,
    addresses: addresses && [...addresses],
    environment,
    created: seconds(createdAt),
    expires: seconds(expiresAt),
    used: used
      ? {
          time_zone: used.zone,
          today: writtenUse(used.today),
          month: writtenUse(used.month),
          all: writtenUse(used.all),
        }
      : null,
  }
}

/** The identity, rights and usage of the calling key, and of no other key. */
export const key: Family = {
  id: 'key',
  kind: 'gateway',
  schemas: { key: keySchema },
  errors: () => undefined,
  open: (_, { keyInfo }) => ({
    routes: [
      {
        method: 'GET',
        path: '/v1/key',
        operation: {
          id: 'get-key',
          summary: 'Returns the identity, rights and usage of the calling key.',
          responses: responseOf('key', 'The key. Unknown values are null.'),
        },
        async serve({ sink, id, principal }) {
          sendJson(sink, writtenKey(principal, (await keyInfo?.(principal)) ?? {}), id)
        },
      },
    ],
  }),
}
