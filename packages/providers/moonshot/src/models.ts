// Models of `moonshotai` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'kimi-k2-0711-preview', families: ['chat'], created: 1_752_451_200, context: 131_072, output: 16_384, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 600_000_000, output: 2_500_000_000, cacheRead: 150_000_000 } },
  { id: 'kimi-k2-0905-preview', same: 'kimi-k2-0905', families: ['chat'], created: 1_757_030_400, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 600_000_000, output: 2_500_000_000, cacheRead: 150_000_000 } },
  { id: 'kimi-k2-thinking', same: 'kimi-k2-thinking', families: ['chat'], created: 1_762_387_200, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_500_000_000, cacheRead: 150_000_000 } },
  { id: 'kimi-k2-thinking-turbo', families: ['chat'], created: 1_762_387_200, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_150_000_000, output: 8_000_000_000, cacheRead: 150_000_000 } },
  { id: 'kimi-k2-turbo-preview', families: ['chat'], created: 1_757_030_400, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 2_400_000_000, output: 10_000_000_000, cacheRead: 600_000_000 } },
  { id: 'kimi-k2.5', same: 'kimi-k2-5', families: ['chat'], created: 1_767_225_600, context: 262_144, output: 262_144, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: false, price: { id: source, input: 600_000_000, output: 3_000_000_000, cacheRead: 100_000_000 } },
  { id: 'kimi-k2.6', same: 'kimi-k2-6', families: ['chat'], created: 1_776_729_600, context: 262_144, output: 262_144, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 4_000_000_000, cacheRead: 160_000_000 } },
  { id: 'kimi-k2.7-code', same: 'kimi-k2-7-code', families: ['chat'], created: 1_781_222_400, context: 262_144, output: 262_144, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: false, price: { id: source, input: 950_000_000, output: 4_000_000_000, cacheRead: 190_000_000 } },
  { id: 'kimi-k2.7-code-highspeed', families: ['chat'], created: 1_781_222_400, context: 262_144, output: 262_144, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: false, price: { id: source, input: 1_900_000_000, output: 8_000_000_000, cacheRead: 380_000_000 } },
]
