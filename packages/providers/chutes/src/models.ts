// Models of `chutes` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'MiniMaxAI/MiniMax-M2.5-TEE', families: ['chat'], created: 1_770_854_400, context: 196_608, output: 65_536, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 150_000_000, output: 1_200_000_000, cacheRead: 75_000_000 } },
  { id: 'Qwen/Qwen3-235B-A22B-Thinking-2507-TEE', families: ['chat'], created: 1_751_328_000, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 298_900_000, output: 1_195_700_000, cacheRead: 149_450_000 } },
  { id: 'Qwen/Qwen3-32B-TEE', families: ['chat'], created: 1_743_465_600, context: 40_960, output: 40_960, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 104_000_000, output: 416_000_000, cacheRead: 52_000_000 } },
  { id: 'Qwen/Qwen3.5-397B-A17B-TEE', families: ['chat'], created: 1_771_113_600, context: 262_144, output: 65_536, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 450_000_000, output: 3_000_000_000, cacheRead: 225_000_000 } },
  { id: 'Qwen/Qwen3.6-27B-TEE', families: ['chat'], created: 1_776_816_000, context: 262_144, output: 65_536, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 2_000_000_000, cacheRead: 150_000_000 } },
  { id: 'deepseek-ai/DeepSeek-V3.2-TEE', families: ['chat'], created: 1_764_547_200, context: 131_072, output: 65_536, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_000_000_000, output: 1_000_000_000, cacheRead: 500_000_000 } },
  { id: 'google/gemma-4-31B-turbo-TEE', families: ['chat'], created: 1_775_088_000, context: 131_072, output: 65_536, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 120_000_000, output: 370_000_000, cacheRead: 60_000_000 } },
  { id: 'moonshotai/Kimi-K2.5-TEE', families: ['chat'], created: 1_767_225_600, context: 262_144, output: 65_535, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 440_000_000, output: 2_000_000_000, cacheRead: 220_000_000 } },
  { id: 'moonshotai/Kimi-K2.6-TEE', families: ['chat'], created: 1_776_729_600, context: 262_144, output: 65_535, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 660_000_000, output: 3_500_000_000, cacheRead: 330_000_000 } },
  { id: 'unsloth/Mistral-Nemo-Instruct-2407-TEE', families: ['chat'], created: 1_719_792_000, context: 131_072, output: 131_072, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 24_500_000, output: 97_800_000, cacheRead: 12_250_000 } },
  { id: 'zai-org/GLM-5-TEE', families: ['chat'], created: 1_770_854_400, context: 202_752, output: 65_535, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 2_550_000_000, cacheRead: 475_000_000 } },
  { id: 'zai-org/GLM-5.1-TEE', families: ['chat'], created: 1_775_520_000, context: 202_752, output: 65_535, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 980_000_000, output: 3_080_000_000, cacheRead: 490_000_000 } },
  { id: 'zai-org/GLM-5.2-TEE', families: ['chat'], created: 1_781_308_800, context: 1_048_576, output: 65_535, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 700_000_000 } },
]
