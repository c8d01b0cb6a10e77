// Models of `upstage` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'solar-mini', families: ['chat'], created: 1_718_150_400, context: 32_768, output: 4_096, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 150_000_000, output: 150_000_000 } },
  { id: 'solar-pro2', families: ['chat'], created: 1_747_699_200, context: 65_536, output: 8_192, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 250_000_000, output: 250_000_000 } },
  { id: 'solar-pro3', families: ['chat'], created: 1_767_225_600, context: 131_072, output: 8_192, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 250_000_000, output: 250_000_000 } },
]
