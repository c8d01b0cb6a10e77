import { secretOf, type UpstreamFacts } from '../facts.ts'
import { declaredCheck } from '../families/chat/checks/declared.ts'
import { brokenStreamCheck, errorsCheck } from '../families/chat/checks/errors.ts'
import { headersCheck, refusedFieldsCheck } from '../families/chat/checks/headers.ts'
import { ownAbortCheck, ownAnswerCheck, partsCheck } from '../families/chat/checks/in-process.ts'
import { abortCheck, lifecycleCheck } from '../families/chat/checks/lifecycle.ts'
import { reachCheck } from '../families/chat/checks/reach.ts'
import { scenarioCheck, signatureCheck } from '../families/chat/checks/scenarios.ts'
import { secrecyCheck } from '../families/chat/checks/secrecy.ts'
import { scenarios } from '../families/chat/scenarios/index.ts'
import type { Scenario } from '../families/chat/scenarios/scenario.ts'
import type { Wire } from '../families/chat/wire/index.ts'
import { modelsCheck } from '../families/models/check.ts'
import { type Check, callers, type RemoteSubject, type Subject } from './check.ts'
import { hostsCheck } from './hosts.ts'
import { manifest } from './manifest.ts'

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
