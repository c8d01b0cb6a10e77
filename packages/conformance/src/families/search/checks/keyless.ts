import { distinct } from '../../../checks/check.ts'
import { secretOf } from '../../../place.ts'
import type { Received } from '../../../upstream.ts'
import type { SearchFacts } from '../facts.ts'
import { openSearchHarness } from '../harness.ts'
import { resultsOf } from '../results.ts'
import { hold, type RemoteSearchTarget, type SearchCheck, said } from './check.ts'
import { envelopeProblems, lineProblems } from './request.ts'

export const keylessCheck: SearchCheck<RemoteSearchTarget> = {
  name: 'works without a key, and then sends none',
  async run(target) {
    const { adapter, facts, upstream } = target
    const harness = await openSearchHarness(adapter, facts.keyless)
    try {
      const vendor = hold({ ...target, harness }, resultsOf(10))
      const found = await harness.search({ q: 'gateways' })
      const requests = harness.upstream.received
      if (requests.length === 0) return [`A search without a key did not reach the upstream: ${said(found)}`]
      const { method, path, keylessPath = path } = upstream
      return distinct([
        ...requests.flatMap((request) => [
          ...lineProblems(request, method, keylessPath),
          ...envelopeProblems(request, undefined),
          ...keyProblems(request, facts),
        ]),
        ...(found.answer.items.length === 10
          ? []
          : [
              `Without a key, a search finds ${found.answer.items.length} of 10 results: ${said(found)}${vendor.refusals.join(', ')}`,
            ]),
      ])
    } finally {
      await harness.close()
    }
  },
}

function keyProblems(
  { headers, query }: Received,
  { credential, keylessHeaders = {} }: SearchFacts<unknown>,
): string[] {
  const found = credential && ('header' in credential ? headers[credential.header] : query.get(credential.query))
  const name =
    credential &&
    ('header' in credential ? `header \`${credential.header}\`` : `query parameter \`${credential.query}\``)
  const secret = credential && secretOf({ credential })
  return [
    ...(found == null
      ? []
      : [
          `Without a key, the ${name} was sent as "${found}"${secret && found.includes(secret) ? ', the key of another config' : ''}: set \`credential\` to { kind: 'none' } in this case.`,
        ]),
    ...Object.entries(keylessHeaders)
      .filter(([header, value]) => headers[header] !== value)
      .map(
        ([header, value]) =>
          `Without a key, the vendor requires the header \`${header}: ${value}\`, but got ${headers[header] ?? 'none'}: add it to \`headers\` of the request.`,
      ),
  ]
}
