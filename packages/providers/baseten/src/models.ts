// Models of `baseten` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'MiniMaxAI/MiniMax-M2.5', same: 'minimax-m2-5', families: ['chat'], created: 1_770_854_400, deprecated: true, context: 204_000, output: 204_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000 } },
  { id: 'deepseek-ai/DeepSeek-V3.1', same: 'deepseek-v3-1', families: ['chat'], created: 1_756_080_000, deprecated: true, context: 164_000, output: 131_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 500_000_000, output: 1_500_000_000 } },
  { id: 'deepseek-ai/DeepSeek-V4-Pro', families: ['chat'], created: 1_776_988_800, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_740_000_000, output: 3_480_000_000, cacheRead: 145_000_000 } },
  { id: 'moonshotai/Kimi-K2.5', same: 'kimi-k2-5', families: ['chat'], created: 1_769_731_200, context: 262_000, output: 262_000, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 3_000_000_000, cacheRead: 120_000_000 } },
  { id: 'moonshotai/Kimi-K2.6', same: 'kimi-k2-6', families: ['chat'], created: 1_776_729_600, context: 262_000, output: 262_000, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 4_000_000_000, cacheRead: 160_000_000 } },
  { id: 'moonshotai/Kimi-K2.7-Code', same: 'kimi-k2-7-code', families: ['chat'], created: 1_781_222_400, context: 262_000, output: 262_000, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 4_000_000_000, cacheRead: 160_000_000 } },
  { id: 'nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B', families: ['chat'], created: 1_780_531_200, context: 202_800, output: 202_800, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_400_000_000, cacheRead: 120_000_000 } },
  { id: 'nvidia/Nemotron-120B-A12B', families: ['chat'], created: 1_773_187_200, context: 202_800, output: 202_800, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 750_000_000, cacheRead: 60_000_000 } },
  { id: 'openai/gpt-oss-120b', same: 'gpt-oss-120b', families: ['chat'], created: 1_754_352_000, context: 128_072, output: 128_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 100_000_000, output: 500_000_000 } },
  { id: 'zai-org/GLM-4.7', same: 'glm-4-7', families: ['chat'], created: 1_766_361_600, context: 200_000, output: 200_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 2_200_000_000, cacheRead: 120_000_000 } },
  { id: 'zai-org/GLM-5', same: 'glm-5', families: ['chat'], created: 1_770_854_400, context: 202_800, output: 202_800, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 3_150_000_000, cacheRead: 200_000_000 } },
  { id: 'zai-org/GLM-5.1', same: 'glm-5-1', families: ['chat'], created: 1_775_520_000, context: 202_800, output: 202_800, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_300_000_000, output: 4_300_000_000, cacheRead: 260_000_000 } },
  { id: 'zai-org/GLM-5.2', families: ['chat'], created: 1_781_308_800, context: 202_720, output: 202_720, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 300_000_000 } },
]
