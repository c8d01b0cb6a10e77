import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wantedExtent } from '../../extent.ts'
import { openSearchBench, type SearchBench } from './bench.ts'
import { searchChecksFor } from './checks/index.ts'
import { runSearchCheck } from './examine.ts'
import type { SearchAdapter, SearchFacts } from './facts.ts'

/**
 * Checks a search backend against a loopback upstream that reads and writes as its facts say: what it sends, what
 * callers get of each result, that pages of every length are the same list, how it fails, that it stops, and that its
 * key stays where it belongs. A backend of this process is asked for what the facts say that it finds. With
 * `HEADGATE_KIT=short` in the environment it reads pages of four lengths, and fields with three wrong values.
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
    let bench: SearchBench
    beforeAll(async () => {
      bench = await openSearchBench(adapter, facts.config)
    })
    afterAll(() => bench?.close())
    const extent = wantedExtent()
    let isStopped = false

    for (const check of searchChecksFor(facts)) {
      it(check.name, async ({ skip }) => {
        skip(isStopped, 'what was found before would fail it as well')
        const findings = await runSearchCheck(check, adapter, facts, bench, extent)
        isStopped = check.isGate === true && findings.length > 0
        if (findings.length > 0) expect.fail(`\n${findings.join('\n')}`)
      })
    }
  })
}
