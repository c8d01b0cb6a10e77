import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FEATURES, type Verdict } from './features.ts'
import { pairsFile } from './pairs.ts'
import { openStage, PROVIDERS, type Stage } from './stage.ts'

const MATRIX = join(import.meta.dirname, '../../../../docs/data/matrix.json')
const FORMATS = PROVIDERS.map(({ format }) => format)

describe('A running gateway', () => {
  let stage: Stage
  const verdicts = new Map<string, Verdict>()
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  for (const caller of FORMATS) {
    describe.each(PROVIDERS)(`brings to and from a caller of ${caller}, with a provider of $format,`, (provider) => {
      it.each(FEATURES)('$name, or says that it does not', async (feature) => {
        verdicts.set([caller, provider.format, feature.name].join(), await feature.verdict({ stage, caller, provider }))
      })
    })
  }

  it('is documented as it was shown here: `vitest run -u` on this file writes what it shows', async () => {
    const features = FEATURES.map(({ name }) => name)
    const cells = FORMATS.flatMap((caller) =>
      FORMATS.flatMap((provider) =>
        features.map((feature) => ({
          caller,
          provider,
          feature,
          verdict: verdicts.get([caller, provider, feature].join()) ?? 'failed',
        })),
      ),
    )
    await expect(pairsFile({ callers: FORMATS, providers: FORMATS, features, cells })).toMatchFileSnapshot(MATRIX)
  })
})
