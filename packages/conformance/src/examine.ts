import { apart, type Examined } from './apart.ts'
import { type Bench, openBench } from './bench.ts'
import { type Check, checksFor, type Subject } from './checks/index.ts'
import type { Extent } from './extent.ts'
import type { Adapter, ProviderFacts } from './facts.ts'
import type { MoreFamilies } from './families/family.ts'
import { families } from './families/index.ts'
import { createSteps } from './steps.ts'

/** Problem found by a check. */
export interface Finding {
  /** Name of the check. */
  readonly check: string
  /** The problem and how to fix it. */
  readonly message: string
}

/** Adapter under test and its checks. */
export interface Examination {
  readonly checks: readonly Check[]
  open(): Promise<Bench>
  /** Runs one check on an open harness. */
  run(check: Check, bench: Bench): Promise<readonly string[]>
}

/** Runs the checks of `testProvider` one after the other, outside of a test runner. `only` selects checks by name. */
export async function examine<Config>(
  adapter: Adapter<Config>,
  facts: ProviderFacts<Config>,
  only = /./,
  more?: MoreFamilies,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const one of apart(adapter, facts)) findings.push(...(await examined(one, only, more)))
  return findings
}

async function examined<Config>(
  { adapter, facts }: Examined<Config>,
  only: RegExp,
  more?: MoreFamilies,
): Promise<Finding[]> {
  const { checks, open, run } = examination(adapter, facts, more)
  const bench = await open()
  const findings: Finding[] = []
  try {
    for (const check of checks.filter(({ name }) => only.test(name))) {
      const messages = await run(check, bench)
      findings.push(...messages.map((message) => ({ check: check.name, message })))
      if (check.isGate && messages.length > 0) break
    }
  } finally {
    await bench.close()
  }
  return findings
}

export function examination<Config>(
  given: Adapter<Config>,
  facts: ProviderFacts<Config>,
  more?: MoreFamilies,
  extent: Extent = 'whole',
): Examination {
  // A harness is only opened with the adapter's config, so checks do not need its type.
  const adapter = given as Adapter<unknown>
  const steps = createSteps()
  const open: Subject['open'] = (other = adapter) => openBench(other, facts, steps, more?.createGateway)
  return {
    checks: checksFor(facts, [...families, ...(more?.families ?? [])], extent),
    open,
    async run(check, bench) {
      const findings = await check.run({ adapter, facts, bench, extent, open })
      return [...steps.findings(), ...findings]
    },
  }
}
