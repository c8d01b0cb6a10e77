// Models of `ovhcloud` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'gpt-oss-120b', same: 'gpt-oss-120b', families: ['chat'], created: 1_756_339_200, context: 131_072, output: 131_072, inputs: ['text'], tools: true, reasoning: true, price: { id: source, input: 90_000_000, output: 470_000_000 } },
  { id: 'gpt-oss-20b', same: 'gpt-oss-20b', families: ['chat'], created: 1_756_339_200, context: 131_072, output: 131_072, inputs: ['text'], tools: true, reasoning: true, price: { id: source, input: 50_000_000, output: 180_000_000 } },
  { id: 'meta-llama-3_3-70b-instruct', families: ['chat'], created: 1_743_465_600, context: 131_072, output: 131_072, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 740_000_000, output: 740_000_000 } },
  { id: 'mistral-7b-instruct-v0.3', families: ['chat'], created: 1_743_465_600, context: 65_536, output: 65_536, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 110_000_000, output: 110_000_000 } },
  { id: 'mistral-nemo-instruct-2407', families: ['chat'], created: 1_732_060_800, context: 65_536, output: 65_536, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 140_000_000, output: 140_000_000 } },
  { id: 'mistral-small-3.2-24b-instruct-2506', same: 'mistral-small-3-2-24b-instruct-2506', families: ['chat'], created: 1_752_624_000, context: 131_072, output: 131_072, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 100_000_000, output: 310_000_000 } },
  { id: 'qwen2.5-vl-72b-instruct', families: ['chat'], created: 1_743_379_200, context: 32_768, output: 32_768, inputs: ['text', 'image'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 1_010_000_000, output: 1_010_000_000 } },
  { id: 'qwen3-32b', families: ['chat'], created: 1_752_624_000, context: 32_768, output: 32_768, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 90_000_000, output: 250_000_000 } },
  { id: 'qwen3-coder-30b-a3b-instruct', same: 'qwen3-coder-30b-a3b-instruct', families: ['chat'], created: 1_761_609_600, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 70_000_000, output: 260_000_000 } },
  { id: 'qwen3.5-397b-a17b', same: 'qwen3-5-397b-a17b', families: ['chat'], created: 1_779_062_400, context: 262_144, output: 262_144, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 710_000_000, output: 4_250_000_000 } },
  { id: 'qwen3.5-9b', same: 'qwen3-5-9b', families: ['chat'], created: 1_776_816_000, context: 262_144, output: 262_144, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 120_000_000, output: 180_000_000 } },
  { id: 'qwen3.6-27b', same: 'qwen3-6-27b', families: ['chat'], created: 1_780_272_000, context: 262_144, output: 262_144, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 470_000_000, output: 3_190_000_000 } },
  { id: 'qwen3guard-gen-0.6b', families: ['chat'], created: 1_769_040_000, context: 32_768, output: 16_384, inputs: ['text'], tools: false, reasoning: false, sampling: true },
  { id: 'qwen3guard-gen-8b', families: ['chat'], created: 1_769_040_000, context: 32_768, output: 16_384, inputs: ['text'], tools: false, reasoning: false, sampling: true },
]
