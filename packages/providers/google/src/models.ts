import type { ModelFacts } from '@headgate/core/provider'

/** Facts come from models.dev (https://models.dev, MIT License). Written by `tools/refresh-models.ts`, not by hand. */
const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'gemini-2.5-flash', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 2_500_000_000, cacheRead: 30_000_000, audioInput: 1_000_000_000 } },
  { id: 'gemini-2.5-flash-image', families: ['chat'], context: 32_768, output: 32_768, inputs: ['text', 'image'], tools: false, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 30_000_000_000, cacheRead: 75_000_000 } },
  { id: 'gemini-2.5-flash-lite', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 100_000_000, output: 400_000_000, cacheRead: 10_000_000, audioInput: 300_000_000 } },
  { id: 'gemini-2.5-pro', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_250_000_000, output: 10_000_000_000, cacheRead: 125_000_000, long: { above: 200_000, input: 2_500_000_000, output: 15_000_000_000, cacheRead: 250_000_000 } } },
  { id: 'gemini-3-flash-preview', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 500_000_000, output: 3_000_000_000, cacheRead: 50_000_000, audioInput: 1_000_000_000 } },
  { id: 'gemini-3-pro-image-preview', families: ['chat'], context: 131_072, output: 32_768, inputs: ['text', 'image'], tools: false, reasoning: true, sampling: true, price: { id: source, input: 2_000_000_000, output: 120_000_000_000 } },
  { id: 'gemini-3.1-flash-image-preview', families: ['chat'], context: 65_536, output: 65_536, inputs: ['text', 'image', 'pdf'], tools: false, reasoning: true, sampling: true, price: { id: source, input: 500_000_000, output: 60_000_000_000 } },
  { id: 'gemini-3.1-flash-lite', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 250_000_000, output: 1_500_000_000, cacheRead: 25_000_000, audioInput: 500_000_000 } },
  { id: 'gemini-3.1-pro-preview', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 2_000_000_000, output: 12_000_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 4_000_000_000, output: 18_000_000_000, cacheRead: 400_000_000 } } },
  { id: 'gemini-3.1-pro-preview-customtools', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 2_000_000_000, output: 12_000_000_000, cacheRead: 200_000_000, long: { above: 200_000, input: 4_000_000_000, output: 18_000_000_000, cacheRead: 400_000_000 } } },
  { id: 'gemini-3.5-flash', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_500_000_000, output: 9_000_000_000, cacheRead: 150_000_000, audioInput: 1_500_000_000 } },
  { id: 'gemini-embedding-001', families: ['embeddings'], context: 2_048, inputs: ['text'], price: { id: source, input: 150_000_000, output: 0 } },
  { id: 'gemini-flash-latest', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 300_000_000, output: 2_500_000_000, cacheRead: 75_000_000, audioInput: 1_000_000_000 } },
  { id: 'gemini-flash-lite-latest', families: ['chat'], context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 100_000_000, output: 400_000_000, cacheRead: 25_000_000 } },
  { id: 'gemma-4-26b-a4b-it', families: ['chat'], context: 262_144, output: 32_768, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true },
  { id: 'gemma-4-31b-it', families: ['chat'], context: 262_144, output: 32_768, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true },
]
