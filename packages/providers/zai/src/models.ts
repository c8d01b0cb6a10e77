// Models of `zai` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'glm-4.5', same: 'glm-4-5', families: ['chat'], created: 1_753_660_800, context: 131_072, output: 98_304, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_200_000_000, cacheRead: 110_000_000 } },
  { id: 'glm-4.5-air', same: 'glm-4-5-air', families: ['chat'], created: 1_753_660_800, context: 131_072, output: 98_304, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 200_000_000, output: 1_100_000_000, cacheRead: 30_000_000 } },
  { id: 'glm-4.5-flash', families: ['chat'], created: 1_753_660_800, context: 131_072, output: 98_304, inputs: ['text'], tools: true, reasoning: true, sampling: true },
  { id: 'glm-4.5v', same: 'glm-4-5v', families: ['chat'], created: 1_754_870_400, context: 64_000, output: 16_384, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 1_800_000_000 } },
  { id: 'glm-4.6', same: 'glm-4-6', families: ['chat'], created: 1_759_190_400, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_200_000_000, cacheRead: 110_000_000 } },
  { id: 'glm-4.6v', same: 'glm-4-6v', families: ['chat'], created: 1_765_152_000, context: 128_000, output: 32_768, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 900_000_000 } },
  { id: 'glm-4.7', same: 'glm-4-7', families: ['chat'], created: 1_766_361_600, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_200_000_000, cacheRead: 110_000_000 } },
  { id: 'glm-4.7-flash', same: 'glm-4-7-flash', families: ['chat'], created: 1_768_780_800, context: 200_000, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true },
  { id: 'glm-4.7-flashx', families: ['chat'], created: 1_768_780_800, context: 200_000, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 70_000_000, output: 400_000_000, cacheRead: 10_000_000 } },
  { id: 'glm-5', same: 'glm-5', families: ['chat'], created: 1_770_854_400, context: 204_800, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_000_000_000, output: 3_200_000_000, cacheRead: 200_000_000 } },
  { id: 'glm-5-turbo', families: ['chat'], created: 1_773_619_200, context: 200_000, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_200_000_000, output: 4_000_000_000, cacheRead: 240_000_000 } },
  { id: 'glm-5.1', same: 'glm-5-1', families: ['chat'], created: 1_775_520_000, context: 200_000, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 260_000_000 } },
  { id: 'glm-5.2', same: 'glm-5-2', families: ['chat'], created: 1_781_308_800, context: 1_000_000, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 260_000_000 } },
  { id: 'glm-5v-turbo', families: ['chat'], created: 1_775_001_600, context: 200_000, output: 131_072, inputs: ['text', 'image', 'pdf', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_200_000_000, output: 4_000_000_000, cacheRead: 240_000_000 } },
]
