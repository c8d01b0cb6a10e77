// Models of `minimax` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'MiniMax-M2', same: 'minimax-m2', families: ['chat'], created: 1_761_523_200, context: 196_608, output: 128_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000 } },
  { id: 'MiniMax-M2.1', same: 'minimax-m2-1', families: ['chat'], created: 1_766_448_000, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000 } },
  { id: 'MiniMax-M2.5', same: 'minimax-m2-5', families: ['chat'], created: 1_770_854_400, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000, cacheRead: 30_000_000, cacheWrite: 375_000_000 } },
  { id: 'MiniMax-M2.5-highspeed', same: 'minimax-m2-5-highspeed', families: ['chat'], created: 1_770_940_800, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_400_000_000, cacheRead: 60_000_000, cacheWrite: 375_000_000 } },
  { id: 'MiniMax-M2.7', same: 'minimax-m2-7', families: ['chat'], created: 1_773_792_000, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000, cacheRead: 60_000_000, cacheWrite: 375_000_000 } },
  { id: 'MiniMax-M2.7-highspeed', same: 'minimax-m2-7-highspeed', families: ['chat'], created: 1_773_792_000, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_400_000_000, cacheRead: 60_000_000, cacheWrite: 375_000_000 } },
  { id: 'MiniMax-M3', same: 'minimax-m3', families: ['chat'], created: 1_780_272_000, context: 1_000_000, output: 128_000, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000, cacheRead: 60_000_000, long: { above: 512_000, input: 600_000_000, output: 2_400_000_000, cacheRead: 120_000_000 } } },
]
