import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { examination } from './examine.ts'
import type { Adapter, ProviderFacts } from './facts.ts'
import type { MoreFamilies } from './families/family.ts'
import type { Harness } from './harness.ts'
import { type KitRun, runsOf } from './runs.ts'
import { testScopeOf } from './scope.ts'

/**
 * Checks an adapter against a loopback upstream that behaves as the facts describe: requests, responses to callers of
 * each format, whole and streamed with every chunking, failures, cancellation, and secrecy of the key.
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
 * `more` are families beyond core's, with their own checks. With `HEADGATE_KIT=short` in the environment, fewer checks
 * run for a provider whose formats all belong to core.
 */
export function testProvider<Config>(
  adapter: Adapter<Config>,
  facts: ProviderFacts<Config>,
  more?: MoreFamilies,
): void {
  for (const one of runsOf(adapter, facts)) test(one, more)
}

function test<Config>({ adapter, facts, format }: KitRun<Config>, more?: MoreFamilies): void {
  const { checks, open, run } = examination(adapter, facts, more, testScopeOf(adapter, facts))
  describe(`The provider ${adapter.id}${format === undefined ? '' : ` with ${format}`}`, () => {
    let harness: Harness
    beforeAll(async () => {
      harness = await open()
    })
    afterAll(() => harness?.close())
    let isStopped = false

    for (const check of checks) {
      it(check.name, async ({ skip }) => {
        skip(isStopped, 'an earlier problem would make this check fail as well')
        const findings = await run(check, harness)
        isStopped = check.isGate === true && findings.length > 0
        if (findings.length > 0) expect.fail(`\n${findings.join('\n')}`)
      })
    }
  })
}
