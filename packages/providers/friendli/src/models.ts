// Models of `friendli` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'MiniMaxAI/MiniMax-M2.5', same: 'minimax-m2-5', families: ['chat'], created: 1_770_854_400, context: 196_608, output: 196_608, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 1_200_000_000, cacheRead: 60_000_000 } },
  { id: 'Qwen/Qwen3-235B-A22B-Instruct-2507', same: 'qwen3-235b-a22b-instruct-2507', families: ['chat'], created: 1_753_747_200, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 200_000_000, output: 800_000_000 } },
  { id: 'deepseek-ai/DeepSeek-V3.2', same: 'deepseek-v3-2', families: ['chat'], created: 1_764_547_200, context: 163_840, output: 163_840, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 500_000_000, output: 1_500_000_000, cacheRead: 250_000_000 } },
  { id: 'google/gemma-4-31B-it', same: 'gemma-4-31b-it', families: ['chat'], created: 1_775_088_000, context: 262_144, output: 32_768, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 140_000_000, output: 400_000_000 } },
  { id: 'zai-org/GLM-5', same: 'glm-5', families: ['chat'], created: 1_770_854_400, context: 202_752, output: 202_752, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_000_000_000, output: 3_200_000_000, cacheRead: 500_000_000 } },
  { id: 'zai-org/GLM-5.1', same: 'glm-5-1', families: ['chat'], created: 1_775_520_000, context: 202_752, output: 202_752, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 260_000_000 } },
  { id: 'zai-org/GLM-5.2', same: 'glm-5-2', families: ['chat'], created: 1_781_308_800, context: 1_000_000, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 260_000_000 } },
]
