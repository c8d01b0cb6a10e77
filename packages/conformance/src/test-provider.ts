import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apart, type Examined } from './apart.ts'
import type { Bench } from './bench.ts'
import { examination } from './examine.ts'
import { extentOf } from './extent.ts'
import type { Adapter, ProviderFacts } from './facts.ts'
import type { MoreFamilies } from './families/family.ts'

/**
 * Checks an adapter against a loopback upstream that speaks as its facts say: what it sends, what callers of each
 * format get of each answer, whole and streamed in every cut, how it fails, that it stops, and that its key stays where
 * it belongs.
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
 *
 * `more` are families that core does not have, each of which brings its own checks. With `HEADGATE_KIT=short` in the
 * environment fewer checks run for a provider whose formats all belong to core.
 */
export function testProvider<Config>(
  adapter: Adapter<Config>,
  facts: ProviderFacts<Config>,
  more?: MoreFamilies,
): void {
  for (const one of apart(adapter, facts)) test(one, more)
}

function test<Config>({ adapter, facts, format }: Examined<Config>, more?: MoreFamilies): void {
  const { checks, open, run } = examination(adapter, facts, more, extentOf(adapter, facts))
  describe(`The provider ${adapter.id}${format === undefined ? '' : `, speaking ${format}`}`, () => {
    let bench: Bench
    beforeAll(async () => {
      bench = await open()
    })
    afterAll(() => bench?.close())
    let isStopped = false

    for (const check of checks) {
      it(check.name, async ({ skip }) => {
        skip(isStopped, 'what was found before would fail it as well')
        const findings = await run(check, bench)
        isStopped = check.isGate === true && findings.length > 0
        if (findings.length > 0) expect.fail(`\n${findings.join('\n')}`)
      })
    }
  })
}
