import type { Finding } from '../../examine.ts'
import type { TestScope } from '../../scope.ts'
import { type SearchCheck, searchChecksFor } from './checks/index.ts'
import type { SearchAdapter, SearchFacts } from './facts.ts'
import { openSearchHarness, type SearchHarness } from './harness.ts'

/**
 * Runs the checks of `testSearchBackend` one after the other, outside of a test runner. `only` selects checks by name.
 */
export async function examineSearchBackend<Config>(
  adapter: SearchAdapter<Config>,
  facts: SearchFacts<Config>,
  only = /./,
): Promise<Finding[]> {
  const harness = await openSearchHarness(adapter, facts.config)
  const findings: Finding[] = []
  try {
    for (const check of searchChecksFor(facts).filter(({ name }) => only.test(name))) {
      const messages = await runSearchCheck(check, adapter, facts, harness)
      findings.push(...messages.map((message) => ({ check: check.name, message })))
      if (check.isGate && messages.length > 0) break
    }
  } finally {
    await harness.close()
  }
  return findings
}

/** Runs one check on an open harness. */
export async function runSearchCheck<Config>(
  check: SearchCheck,
  adapter: SearchAdapter<Config>,
  facts: SearchFacts<Config>,
  harness: SearchHarness,
  scope: TestScope = 'whole',
): Promise<readonly string[]> {
  // Checks only open a harness with a config from the facts, so they do not need its type.
  const findings = await check.run({ adapter: adapter as SearchAdapter<unknown>, facts, harness, scope })
  return [...harness.steps.findings(), ...findings]
}
