// Models of `perplexity` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'sonar', families: ['chat'], created: 1_704_067_200, context: 128_000, output: 4_096, inputs: ['text'], tools: false, reasoning: false, sampling: true },
  { id: 'sonar-deep-research', families: ['chat'], created: 1_738_368_000, context: 128_000, output: 32_768, inputs: ['text'], tools: false, reasoning: true, sampling: false },
  { id: 'sonar-pro', families: ['chat'], created: 1_704_067_200, context: 200_000, output: 8_192, inputs: ['text', 'image'], tools: false, reasoning: false, sampling: true },
  { id: 'sonar-reasoning-pro', families: ['chat'], created: 1_704_067_200, context: 128_000, output: 4_096, inputs: ['text', 'image'], tools: false, reasoning: true, sampling: true },
]
