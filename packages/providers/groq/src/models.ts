// Models of `groq` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'groq/compound', families: ['chat'], created: 1_756_944_000, context: 131_072, output: 8_192, inputs: ['text'], tools: false, reasoning: false, sampling: true },
  { id: 'groq/compound-mini', families: ['chat'], created: 1_756_944_000, context: 131_072, output: 8_192, inputs: ['text'], tools: false, reasoning: false, sampling: true },
  { id: 'llama-3.1-8b-instant', families: ['chat'], created: 1_721_692_800, context: 131_072, output: 131_072, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 50_000_000, output: 80_000_000 } },
  { id: 'llama-3.3-70b-versatile', families: ['chat'], created: 1_733_443_200, context: 131_072, output: 32_768, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 590_000_000, output: 790_000_000 } },
  { id: 'meta-llama/llama-4-scout-17b-16e-instruct', families: ['chat'], created: 1_743_811_200, context: 131_072, output: 8_192, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 110_000_000, output: 340_000_000 } },
  { id: 'meta-llama/llama-prompt-guard-2-22m', families: ['chat'], created: 1_748_476_800, context: 512, output: 512, inputs: ['text'], tools: false, reasoning: false, sampling: false, price: { id: source, input: 30_000_000, output: 30_000_000 } },
  { id: 'meta-llama/llama-prompt-guard-2-86m', families: ['chat'], created: 1_748_476_800, context: 512, output: 512, inputs: ['text'], tools: false, reasoning: false, sampling: false, price: { id: source, input: 40_000_000, output: 40_000_000 } },
  { id: 'openai/gpt-oss-120b', same: 'gpt-oss-120b', families: ['chat'], created: 1_754_352_000, context: 131_072, output: 65_536, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 150_000_000, output: 600_000_000, cacheRead: 75_000_000 } },
  { id: 'openai/gpt-oss-20b', same: 'gpt-oss-20b', families: ['chat'], created: 1_754_352_000, context: 131_072, output: 65_536, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 75_000_000, output: 300_000_000, cacheRead: 37_500_000 } },
  { id: 'openai/gpt-oss-safeguard-20b', families: ['chat'], created: 1_761_696_000, context: 131_072, output: 65_536, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 75_000_000, output: 300_000_000 } },
  { id: 'qwen/qwen3-32b', families: ['chat'], created: 1_749_600_000, context: 131_072, output: 40_960, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 290_000_000, output: 590_000_000 } },
]
