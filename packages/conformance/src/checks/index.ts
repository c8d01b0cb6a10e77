import type { ProviderFacts } from '../facts.ts'
import { chatChecks } from '../families/chat/index.ts'
import { embeddingsChecks } from '../families/embeddings/index.ts'
import { modelsCheck } from '../families/models/check.ts'
import { type Check, over } from './check.ts'
import { familiesCheck } from './families.ts'
import { hostsCheck } from './hosts.ts'
import { manifest } from './manifest.ts'

export type { Check, Subject } from './check.ts'

/** Everything that is checked of an adapter with these facts: what holds for all, then family by family. */
export function checksFor(facts: Pick<ProviderFacts<unknown>, 'model' | 'upstream' | 'embeddings'>): Check[] {
  const { upstream } = facts
  const ofFamilies = [...chatChecks(facts), ...embeddingsChecks(facts)]
  if (!upstream) return [manifest, familiesCheck, ...ofFamilies]
  const [hosts, models] = [hostsCheck, modelsCheck].map((check) => over(check, (subject) => ({ ...subject, upstream })))
  return [manifest, familiesCheck, hosts, ...ofFamilies, models].filter((check) => check !== undefined)
}
