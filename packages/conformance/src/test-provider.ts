import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bench, openBench } from './bench.ts'
import { checksFor } from './checks/index.ts'
import { runCheck } from './examine.ts'
import type { Adapter, ProviderFacts } from './facts.ts'

/**
 * Checks an adapter against a loopback upstream that speaks as its facts say: what it sends, what callers of each format get
 * of each answer, whole and streamed in every cut, how it fails, that it stops, and that its key stays where it belongs.
 *
 * ```ts
 * testProvider(example, {
 *   config: { apiKey: 'test-key-of-example' },
 *   model: 'example-1',
 *   upstream: {
 *     format: 'chat-completions',
 *     path: '/v1/chat/completions',
 *     credential: { header: 'authorization', value: 'Bearer test-key-of-example' },
 *     models: '/v1/models',
 *   },
 * })
 * ```
 */
export function testProvider<Config>(adapter: Adapter<Config>, facts: ProviderFacts<Config>): void {
  describe(`The provider ${adapter.id}`, () => {
    let bench: Bench
    beforeAll(async () => {
      bench = await openBench(adapter, facts)
    })
    afterAll(() => bench?.close())
    let isStopped = false

    for (const check of checksFor(facts)) {
      it(check.name, async ({ skip }) => {
        skip(isStopped, 'what was found before would fail it as well')
        const findings = await runCheck(check, adapter, facts, bench)
        isStopped = check.isGate === true && findings.length > 0
        if (findings.length > 0) expect.fail(`\n${findings.join('\n')}`)
      })
    }
  })
}
