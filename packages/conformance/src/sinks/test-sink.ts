import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../examine.ts'
import { SINK_CHECKS } from './checks.ts'
import type { SinkFacts, TestedSink } from './facts.ts'
import { openSinkHarness, type SinkHarness } from './harness.ts'

/**
 * Checks a sink against a loopback server: rows, ids of batches, failures, redirects, cancellation and secrecy.
 *
 * ```ts
 * testSink(example, {
 *   config: { apiKey: 'zebra.of.the.example', baseUrl: 'https://api.example.com' },
 *   secrets: ['zebra.of.the.example'],
 *   read: (request) => ({ id: request.headers['idempotency-key'] ?? '', rows: rowsOfLines(request) }),
 * })
 * ```
 */
export function testSink<Config>(adapter: TestedSink<Config>, facts: SinkFacts<Config>): void {
  describe(`The sink ${adapter.id}`, () => {
    let harness: SinkHarness
    beforeAll(async () => {
      harness = await openSinkHarness(adapter, facts)
    })
    afterAll(() => harness?.close())
    let isStopped = false
    for (const check of SINK_CHECKS) {
      it(check.name, async ({ skip }) => {
        skip(isStopped, 'an earlier problem would make this check fail as well')
        const findings = await check.run({ adapter: adapter as TestedSink<unknown>, facts, harness })
        isStopped = check.isGate === true && findings.length > 0
        if (findings.length > 0) expect.fail(`\n${findings.join('\n')}`)
      })
    }
  })
}

/** Runs the checks of `testSink` one after the other, outside of a test runner. */
export async function examineSink<Config>(adapter: TestedSink<Config>, facts: SinkFacts<Config>): Promise<Finding[]> {
  const harness = await openSinkHarness(adapter, facts)
  const findings: Finding[] = []
  try {
    for (const check of SINK_CHECKS) {
      const messages = await check.run({ adapter: adapter as TestedSink<unknown>, facts, harness })
      findings.push(...messages.map((message) => ({ check: check.name, message })))
      if (check.isGate && messages.length > 0) break
    }
  } finally {
    await harness.close()
  }
  return findings
}
