// Models of `scaleway` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'bge-multilingual-gemma2', families: ['chat'], created: 1_721_952_000, context: 8_191, output: 3_072, inputs: ['text'], tools: false, reasoning: false, sampling: false, price: { id: source, input: 100_000_000, output: 0 } },
  { id: 'devstral-2-123b-instruct-2512', families: ['chat'], created: 1_767_744_000, deprecated: true, context: 256_000, output: 16_384, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 400_000_000, output: 2_000_000_000 } },
  { id: 'gemma-3-27b-it', families: ['chat'], created: 1_733_011_200, context: 40_000, output: 8_192, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 250_000_000, output: 500_000_000 } },
  { id: 'gemma-4-26b-a4b-it', same: 'gemma-4-26b-a4b-it', families: ['chat'], created: 1_775_001_600, context: 256_000, output: 16_384, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 250_000_000, output: 500_000_000 } },
  { id: 'glm-5.2', families: ['chat'], created: 1_781_308_800, context: 256_000, output: 16_384, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_800_000_000, output: 5_500_000_000 } },
  { id: 'gpt-oss-120b', same: 'gpt-oss-120b', families: ['chat'], created: 1_704_067_200, context: 128_000, output: 32_768, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 150_000_000, output: 600_000_000 } },
  { id: 'llama-3.3-70b-instruct', same: 'llama-3-3-70b-instruct', families: ['chat'], created: 1_733_443_200, context: 100_000, output: 16_384, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 900_000_000, output: 900_000_000 } },
  { id: 'mistral-medium-3.5-128b', families: ['chat'], created: 1_777_420_800, context: 256_000, output: 16_384, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_500_000_000, output: 7_500_000_000 } },
  { id: 'mistral-small-3.2-24b-instruct-2506', same: 'mistral-small-3-2-24b-instruct-2506', families: ['chat'], created: 1_750_377_600, context: 128_000, output: 32_768, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 150_000_000, output: 350_000_000 } },
  { id: 'pixtral-12b-2409', same: 'pixtral-12b', families: ['chat'], created: 1_727_222_400, context: 128_000, output: 4_096, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 200_000_000, output: 200_000_000 } },
  { id: 'qwen3-235b-a22b-instruct-2507', same: 'qwen3-235b-a22b-instruct-2507', families: ['chat'], created: 1_751_328_000, context: 260_000, output: 16_384, inputs: ['text'], tools: true, reasoning: true, sampling: true },
  { id: 'qwen3-coder-30b-a3b-instruct', families: ['chat'], created: 1_743_465_600, context: 128_000, output: 32_768, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 200_000_000, output: 800_000_000 } },
  { id: 'qwen3-embedding-8b', families: ['embeddings'], context: 32_768, inputs: ['text'], price: { id: source, input: 100_000_000, output: 0 } },
  { id: 'qwen3.5-397b-a17b', same: 'qwen3-5-397b-a17b', families: ['chat'], created: 1_773_705_600, context: 256_000, output: 16_384, inputs: ['text', 'image', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 600_000_000, output: 3_600_000_000 } },
  { id: 'qwen3.6-35b-a3b', families: ['chat'], created: 1_777_593_600, context: 128_000, output: 16_384, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 250_000_000, output: 1_500_000_000 } },
  { id: 'voxtral-small-24b-2507', same: 'voxtral-small-24b-2507', families: ['chat'], created: 1_751_328_000, context: 32_000, output: 16_384, inputs: ['text', 'audio'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 150_000_000, output: 350_000_000 } },
]
