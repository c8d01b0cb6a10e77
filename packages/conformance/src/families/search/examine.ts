import type { Finding } from '../../examine.ts'
import type { Extent } from '../../extent.ts'
import { openSearchBench, type SearchBench } from './bench.ts'
import { type SearchCheck, searchChecksFor } from './checks/index.ts'
import type { SearchAdapter, SearchFacts } from './facts.ts'

/**
 * Runs the checks of `testSearchBackend` one after the other, outside of a test runner. `only` selects checks by name.
 */
export async function examineSearchBackend<Config>(
  adapter: SearchAdapter<Config>,
  facts: SearchFacts<Config>,
  only = /./,
): Promise<Finding[]> {
  const bench = await openSearchBench(adapter, facts.config)
  const findings: Finding[] = []
  try {
    for (const check of searchChecksFor(facts).filter(({ name }) => only.test(name))) {
      const messages = await runSearchCheck(check, adapter, facts, bench)
      findings.push(...messages.map((message) => ({ check: check.name, message })))
      if (check.isGate && messages.length > 0) break
    }
  } finally {
    await bench.close()
  }
  return findings
}

/** Runs one check on an open harness. */
export async function runSearchCheck<Config>(
  check: SearchCheck,
  adapter: SearchAdapter<Config>,
  facts: SearchFacts<Config>,
  bench: SearchBench,
  extent: Extent = 'whole',
): Promise<readonly string[]> {
  // Checks only open a harness with a config from the facts, so they do not need its type.
  const findings = await check.run({ adapter: adapter as SearchAdapter<unknown>, facts, bench, extent })
  return [...bench.steps.findings(), ...findings]
}
