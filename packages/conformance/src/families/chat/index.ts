import { type Check, over } from '../../checks/check.ts'
import { leaseCheck } from '../../checks/lease.ts'
import type { ProviderFacts } from '../../facts.ts'
import { secretsOf, signatureOf } from '../../place.ts'
import type { TestScope } from '../../scope.ts'
import { testCall } from '../../test-call.ts'
import type { Asks, FamilyKit } from '../family.ts'
import { acceptedFieldsCheck } from './checks/accepted.ts'
import { declaredCheck } from './checks/declared.ts'
import { brokenStreamCheck, errorsCheck } from './checks/errors.ts'
import { headersCheck, refusedFieldsCheck } from './checks/headers.ts'
import { ownAbortCheck, ownAnswerCheck, partsCheck } from './checks/in-process.ts'
import { jobCheck } from './checks/job.ts'
import { abortCheck, lifecycleCheck } from './checks/lifecycle.ts'
import { reachCheck } from './checks/reach.ts'
import { scenarioCheck, signatureCheck } from './checks/scenarios.ts'
import { secrecyCheck } from './checks/secrecy.ts'
import { scenarios } from './scenarios/index.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { text } from './scenarios/text.ts'
import { tools } from './scenarios/tools.ts'
import { type ChatTarget, callers, type InProcessChatTarget } from './target.ts'
import { vendorFor } from './vendor.ts'
import type { Wire } from './wire/index.ts'

/** Chat, including token counting. */
export const chat: FamilyKit = {
  id: 'chat',
  fact: { name: 'model', isGiven: ({ model }) => model !== undefined, has: ({ chat = [] }) => chat.length > 0 },
  checks: chatChecks,
  asks({ chat = [], countTokens }, { model = '' }) {
    const places = chat.flatMap((support) =>
      'run' in support
        ? []
        : [false, true].map(
            (stream): Asks => ({ member: 'path', make: () => support.path(testCall({ model, stream })) }),
          ),
    )
    return [
      ...places,
      { member: 'countTokens.request', make: () => countTokens?.request({ model, body: {} }, testCall({ model })) },
    ]
  },
}

/** Checks of a provider's chat. */
function chatChecks({ model, upstream }: ProviderFacts<unknown>, scope: TestScope): Check[] {
  if (model === undefined) return []
  if (!upstream) {
    const own: Check<InProcessChatTarget>[] = [partsCheck, ownAbortCheck, ...everyScenario(ownAnswerCheck)]
    return own.map((check) => over(check, (target) => ({ ...target, model })))
  }
  if (upstream.path === undefined)
    throw new TypeError('The facts have a chat `model`, but no `upstream.path`: add the path of its requests.')
  const isShort = scope === 'short'
  const { chunkings, ...speaking } = vendorFor(upstream)
  const vendor = { ...speaking, chunkings: isShort ? chunkings.slice(0, 1) : chunkings }
  const secrets = secretsOf(upstream)
  const signs = vendor.wire !== undefined && vendor.wire.id !== 'chat-completions'
  const { caller } = vendor
  const asking = callers.filter(({ id }) => upstream.callers?.includes(id) ?? true)
  const [own, others] = [asking.filter((wire) => wire === caller), asking.filter((wire) => wire !== caller)]
  const chosen = isShort && own.length > 0 ? own : asking
  const question = { path: caller.path(model, false), body: caller.body(text.requests[caller.id], model, false) }
  const remote: Check<ChatTarget>[] = [
    reachCheck,
    ...everyScenario(scenarioCheck, own),
    ...others.flatMap((wire) =>
      (isShort ? [text, tools] : Object.values(scenarios)).map((scenario) => scenarioCheck(scenario, wire)),
    ),
    ...(signs && !upstream.lacks?.includes('tools')
      ? chosen.map((wire) => signatureCheck(wire, upstream.lacks?.includes('signature') ?? false))
      : []),
    headersCheck,
    ...(signatureOf(upstream)?.issue ? [leaseCheck((harness) => harness.ask(question))] : []),
    declaredCheck,
    ...(upstream.refuses ? [refusedFieldsCheck(upstream.refuses)] : []),
    ...(upstream.accepts ? [acceptedFieldsCheck(upstream.accepts)] : []),
    errorsCheck,
    ...(upstream.job ? [jobCheck(upstream.job)] : [brokenStreamCheck]),
    abortCheck,
    lifecycleCheck,
    ...(secrets.length > 0 ? [secrecyCheck(secrets)] : []),
  ]
  return remote.map((check) => over(check, (target) => ({ ...target, upstream, model, vendor, callers: chosen })))
}

function everyScenario<C>(make: (scenario: Scenario, wire: Wire) => C, asking = callers): C[] {
  return Object.values(scenarios).flatMap((scenario) => asking.map((wire) => make(scenario, wire)))
}
