import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestedScope } from '../../scope.ts'
import { searchChecksFor } from './checks/index.ts'
import { runSearchCheck } from './examine.ts'
import type { SearchAdapter, SearchFacts } from './facts.ts'
import { openSearchHarness, type SearchHarness } from './harness.ts'

/**
 * Checks a search backend against a loopback upstream that behaves as the facts describe: requests, results, paging
 * with every page size, failures, cancellation, and secrecy of the key. A backend that runs in-process must find the
 * documents in the facts. With `HEADGATE_KIT=short` in the environment, the kit tests four page sizes, and three wrong
 * values per field.
 *
 * ```ts
 * testSearchBackend(example, {
 *   config: { apiKey: 'test-key-of-example' },
 *   credential: { header: 'x-api-key', value: 'test-key-of-example' },
 *   upstream: {
 *     path: '/v1/search',
 *     method: 'GET',
 *     read: ({ query }) => ({ q: query.get('q'), limit: Number(query.get('count') ?? 10), offset: Number(query.get('from') ?? 0) }),
 *     write: (results, { total }) => ({ total, results: results.map(({ url, title, text }) => ({ url, title, text })) }),
 *     maxLimit: 50,
 *   },
 * })
 * ```
 */
export function testSearchBackend<Config>(adapter: SearchAdapter<Config>, facts: SearchFacts<Config>): void {
  describe(`The search backend ${adapter.id}`, () => {
    let harness: SearchHarness
    beforeAll(async () => {
      harness = await openSearchHarness(adapter, facts.config)
    })
    afterAll(() => harness?.close())
    const scope = requestedScope()
    let isStopped = false

    for (const check of searchChecksFor(facts)) {
      it(check.name, async ({ skip }) => {
        skip(isStopped, 'an earlier problem would make this check fail as well')
        const findings = await runSearchCheck(check, adapter, facts, harness, scope)
        isStopped = check.isGate === true && findings.length > 0
        if (findings.length > 0) expect.fail(`\n${findings.join('\n')}`)
      })
    }
  })
}
