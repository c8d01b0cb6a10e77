// Models of `stepfun` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'step-1-32k', families: ['chat'], created: 1_735_689_600, context: 32_768, output: 32_768, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 2_050_000_000, output: 9_590_000_000, cacheRead: 410_000_000 } },
  { id: 'step-2-16k', families: ['chat'], created: 1_735_689_600, context: 16_384, output: 8_192, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 5_210_000_000, output: 16_440_000_000, cacheRead: 1_040_000_000 } },
  { id: 'step-3.5-flash', families: ['chat'], created: 1_769_644_800, context: 256_000, output: 256_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 100_000_000, output: 300_000_000, cacheRead: 20_000_000 } },
  { id: 'step-3.5-flash-2603', families: ['chat'], created: 1_775_088_000, context: 256_000, output: 256_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 100_000_000, output: 300_000_000, cacheRead: 20_000_000 } },
  { id: 'step-3.7-flash', families: ['chat'], created: 1_780_012_800, context: 256_000, output: 256_000, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 200_000_000, output: 1_150_000_000, cacheRead: 40_000_000 } },
]
