// Models of `deepseek` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'deepseek-chat', families: ['chat'], created: 1_764_547_200, context: 1_000_000, output: 384_000, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 140_000_000, output: 280_000_000, cacheRead: 2_800_000 } },
  { id: 'deepseek-reasoner', families: ['chat'], created: 1_764_547_200, context: 1_000_000, output: 384_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 140_000_000, output: 280_000_000, cacheRead: 2_800_000 } },
  { id: 'deepseek-v4-flash', families: ['chat'], created: 1_776_988_800, context: 1_000_000, output: 384_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 140_000_000, output: 280_000_000, cacheRead: 2_800_000 } },
  { id: 'deepseek-v4-pro', families: ['chat'], created: 1_776_988_800, context: 1_000_000, output: 384_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 435_000_000, output: 870_000_000, cacheRead: 3_625_000 } },
]
