// Models of `tencent-tokenhub` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'hy3-preview', families: ['chat'], created: 1_776_643_200, context: 256_000, output: 64_000, inputs: ['text'], tools: true, reasoning: true, sampling: true },
]
