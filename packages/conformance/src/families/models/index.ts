import { over } from '../../checks/check.ts'
import { testCall } from '../../test-call.ts'
import type { FamilyKit } from '../family.ts'
import { modelsCheck } from './check.ts'

/** The live list of models. */
export const models: FamilyKit = {
  id: 'models',
  checks: ({ upstream }) => (upstream ? [over(modelsCheck, (target) => ({ ...target, upstream }))] : []),
  asks: ({ models }, { model, embeddings }) => [
    {
      member: 'models.request',
      make: () => models?.request(undefined, testCall({ model: model ?? embeddings?.model ?? '' })),
    },
  ],
}
