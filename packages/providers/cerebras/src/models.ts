// Models of `cerebras` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'gpt-oss-120b', same: 'gpt-oss-120b', families: ['chat'], created: 1_754_352_000, context: 131_072, output: 40_960, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 350_000_000, output: 750_000_000 } },
  { id: 'zai-glm-4.7', families: ['chat'], created: 1_767_744_000, context: 131_072, output: 40_960, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 2_250_000_000, output: 2_750_000_000 } },
]
