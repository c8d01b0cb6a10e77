// Models of `inference` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'google/gemma-3', families: ['chat'], created: 1_735_689_600, context: 125_000, output: 4_096, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 150_000_000, output: 300_000_000 } },
  { id: 'meta/llama-3.1-8b-instruct', same: 'llama-3-1-8b-instruct', families: ['chat'], created: 1_735_689_600, context: 16_000, output: 4_096, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 25_000_000, output: 25_000_000 } },
  { id: 'meta/llama-3.2-11b-vision-instruct', families: ['chat'], created: 1_735_689_600, context: 16_000, output: 4_096, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 55_000_000, output: 55_000_000 } },
  { id: 'meta/llama-3.2-1b-instruct', families: ['chat'], created: 1_735_689_600, context: 16_000, output: 4_096, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 10_000_000, output: 10_000_000 } },
  { id: 'meta/llama-3.2-3b-instruct', families: ['chat'], created: 1_735_689_600, context: 16_000, output: 4_096, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 20_000_000, output: 20_000_000 } },
  { id: 'mistral/mistral-nemo-12b-instruct', families: ['chat'], created: 1_735_689_600, context: 16_000, output: 4_096, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 38_000_000, output: 100_000_000 } },
  { id: 'osmosis/osmosis-structure-0.6b', families: ['chat'], created: 1_735_689_600, context: 4_000, output: 2_048, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 100_000_000, output: 500_000_000 } },
  { id: 'qwen/qwen-2.5-7b-vision-instruct', families: ['chat'], created: 1_735_689_600, context: 125_000, output: 4_096, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 200_000_000, output: 200_000_000 } },
  { id: 'qwen/qwen3-embedding-4b', families: ['embeddings'], created: 1_735_689_600, context: 32_000, inputs: ['text'], price: { id: source, input: 10_000_000, output: 0 } },
]
