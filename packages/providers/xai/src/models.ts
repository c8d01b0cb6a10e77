// Models of `xai` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'grok-4.20-0309-non-reasoning', families: ['chat'], created: 1_773_014_400, context: 1_000_000, output: 30_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 1_250_000_000, output: 2_500_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 2_500_000_000, output: 5_000_000_000, cacheRead: 400_000_000 } } },
  { id: 'grok-4.20-0309-reasoning', families: ['chat'], created: 1_773_014_400, context: 1_000_000, output: 30_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_250_000_000, output: 2_500_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 2_500_000_000, output: 5_000_000_000, cacheRead: 400_000_000 } } },
  { id: 'grok-4.20-multi-agent-0309', families: ['chat'], created: 1_773_014_400, context: 1_000_000, output: 30_000, inputs: ['text', 'image', 'pdf'], tools: false, reasoning: true, sampling: true, price: { id: source, input: 1_250_000_000, output: 2_500_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 2_500_000_000, output: 5_000_000_000, cacheRead: 400_000_000 } } },
  { id: 'grok-4.3', same: 'grok-4-3', families: ['chat'], created: 1_776_384_000, context: 1_000_000, output: 30_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_250_000_000, output: 2_500_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 2_500_000_000, output: 5_000_000_000, cacheRead: 400_000_000 } } },
  { id: 'grok-build-0.1', same: 'grok-build-0-1', families: ['chat'], created: 1_776_297_600, context: 256_000, output: 256_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_000_000_000, output: 2_000_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 2_000_000_000, output: 4_000_000_000, cacheRead: 400_000_000 } } },
]
