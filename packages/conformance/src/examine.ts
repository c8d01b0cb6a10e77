import { type Bench, openBench } from './bench.ts'
import { type Check, checksFor } from './checks/index.ts'
import type { Adapter, ProviderFacts } from './facts.ts'

/** What a check found. */
export interface Finding {
  /** Name of the check. */
  readonly check: string
  /** What is wrong, and what to mend. */
  readonly message: string
}

/** The same checks as `testProvider`, run one after the other outside of a test; `only` chooses by name. */
export async function examine<Config>(adapter: Adapter<Config>, facts: ProviderFacts<Config>, only = /./): Promise<Finding[]> {
  const bench = await openBench(adapter, facts)
  const findings: Finding[] = []
  try {
    for (const check of checksFor(facts).filter(({ name }) => only.test(name))) {
      const messages = await runCheck(check, adapter, facts, bench)
      findings.push(...messages.map((message) => ({ check: check.name, message })))
      if (check.isGate && messages.length > 0) break
    }
  } finally {
    await bench.close()
  }
  return findings
}

/** Runs one check on an open bench. */
export function runCheck<Config>(
  check: Check,
  adapter: Adapter<Config>,
  facts: ProviderFacts<Config>,
  bench: Bench,
): Promise<readonly string[]> {
  // Checks open benches with the adapter's own config and no other, so that its type is of no matter to them.
  return check.run({ adapter: adapter as Adapter<unknown>, facts, bench })
}
