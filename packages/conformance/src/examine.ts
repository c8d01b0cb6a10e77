import { type Check, type CheckTarget, checksFor } from './checks/index.ts'
import type { Adapter, ProviderFacts } from './facts.ts'
import type { MoreFamilies } from './families/family.ts'
import { families } from './families/index.ts'
import { type Harness, openHarness } from './harness.ts'
import { type KitRun, runsOf } from './runs.ts'
import type { TestScope } from './scope.ts'
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
  open(): Promise<Harness>
  /** Runs one check on an open harness. */
  run(check: Check, harness: Harness): Promise<readonly string[]>
}

/** Runs the checks of `testProvider` one after the other, outside of a test runner. `only` selects checks by name. */
export async function examine<Config>(
  adapter: Adapter<Config>,
  facts: ProviderFacts<Config>,
  only = /./,
  more?: MoreFamilies,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const one of runsOf(adapter, facts)) findings.push(...(await examined(one, only, more)))
  return findings
}

async function examined<Config>(
  { adapter, facts }: KitRun<Config>,
  only: RegExp,
  more?: MoreFamilies,
): Promise<Finding[]> {
  const { checks, open, run } = examination(adapter, facts, more)
  const harness = await open()
  const findings: Finding[] = []
  try {
    for (const check of checks.filter(({ name }) => only.test(name))) {
      const messages = await run(check, harness)
      findings.push(...messages.map((message) => ({ check: check.name, message })))
      if (check.isGate && messages.length > 0) break
    }
  } finally {
    await harness.close()
  }
  return findings
}

export function examination<Config>(
  given: Adapter<Config>,
  facts: ProviderFacts<Config>,
  more?: MoreFamilies,
  scope: TestScope = 'whole',
): Examination {
  // A harness is only opened with the adapter's config, so checks do not need its type.
  const adapter = given as Adapter<unknown>
  const steps = createSteps()
  const open: CheckTarget['open'] = (other = adapter) => openHarness(other, facts, steps, more?.createGateway)
  return {
    checks: checksFor(facts, [...families, ...(more?.families ?? [])], scope),
    open,
    async run(check, harness) {
      const findings = await check.run({ adapter, facts, harness, scope, open })
      return [...steps.findings(), ...findings]
    },
  }
}
