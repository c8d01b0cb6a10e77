import { secretOf, type UpstreamFacts } from '../facts.ts'
import { scenarios } from '../scenarios/index.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { Wire } from '../wire/index.ts'
import { type Check, callers, type RemoteSubject, type Subject } from './check.ts'
import { declaredCheck } from './declared.ts'
import { brokenStreamCheck, errorsCheck } from './errors.ts'
import { headersCheck, refusedFieldsCheck } from './headers.ts'
import { hostsCheck } from './hosts.ts'
import { ownAbortCheck, ownAnswerCheck, partsCheck } from './in-process.ts'
import { abortCheck, lifecycleCheck } from './lifecycle.ts'
import { manifest } from './manifest.ts'
import { modelsCheck } from './models.ts'
import { reachCheck } from './reach.ts'
import { scenarioCheck, signatureCheck } from './scenarios.ts'
import { secrecyCheck } from './secrecy.ts'

export type { Check, Subject } from './check.ts'

/** Everything that is checked of an adapter with these facts. */
export function checksFor({ upstream }: { readonly upstream?: UpstreamFacts }): Check[] {
  if (!upstream) return [manifest, partsCheck, ownAbortCheck, ...everyScenario(ownAnswerCheck)]
  const secret = secretOf(upstream)
  const signs = upstream.format !== 'chat-completions'
  const remote: Check<RemoteSubject>[] = [
    hostsCheck,
    reachCheck,
    ...everyScenario(scenarioCheck),
    ...(signs ? callers.map(signatureCheck) : []),
    headersCheck,
    declaredCheck,
    ...(upstream.refuses ? [refusedFieldsCheck(upstream.refuses)] : []),
    modelsCheck,
    errorsCheck,
    brokenStreamCheck,
    abortCheck,
    lifecycleCheck,
    ...(secret === undefined ? [] : [secrecyCheck(secret)]),
  ]
  return [manifest, ...remote.map(({ run, ...check }): Check => ({ ...check, run: (subject: Subject) => run({ ...subject, upstream }) }))]
}

function everyScenario<C>(make: (scenario: Scenario, wire: Wire) => C): C[] {
  return Object.values(scenarios).flatMap((scenario) => callers.map((wire) => make(scenario, wire)))
}
