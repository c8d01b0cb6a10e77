// Models of `snowflake-cortex` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not by hand.
import type { ModelFacts } from '@headgate/core/provider'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: 'claude-fable-5', same: 'claude-fable-5', families: ['chat'], created: 1_780_963_200, context: 1_000_000, output: 128_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: false },
  { id: 'claude-haiku-4-5', same: 'claude-haiku-4-5', families: ['chat'], created: 1_760_486_400, context: 200_000, output: 16_384, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: true },
  { id: 'claude-opus-4-7', same: 'claude-opus-4-7', families: ['chat'], created: 1_776_297_600, context: 1_000_000, output: 128_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: false },
  { id: 'claude-opus-4-8', same: 'claude-opus-4-8', families: ['chat'], created: 1_779_926_400, context: 1_000_000, output: 128_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: false },
  { id: 'claude-sonnet-4-5', same: 'claude-sonnet-4-5', families: ['chat'], created: 1_759_104_000, context: 200_000, output: 16_384, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: true },
  { id: 'claude-sonnet-4-6', same: 'claude-sonnet-4-6', families: ['chat'], created: 1_771_286_400, context: 1_000_000, output: 16_384, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true, sampling: true },
  { id: 'deepseek-r1', same: 'deepseek-r1', families: ['chat'], created: 1_737_331_200, context: 128_000, output: 32_768, inputs: ['text'], tools: true, reasoning: true, sampling: true },
  { id: 'gemini-3.1-pro', same: 'gemini-3-1-pro', families: ['chat'], created: 1_771_459_200, context: 1_048_576, output: 65_536, inputs: ['text', 'image', 'pdf', 'audio', 'video'], tools: true, reasoning: true, sampling: true },
  { id: 'mistral-large2', families: ['chat'], created: 1_730_419_200, context: 262_144, output: 262_144, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true },
  { id: 'openai-gpt-4.1', families: ['chat'], created: 1_744_588_800, context: 1_047_576, output: 32_768, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: false, sampling: true },
  { id: 'openai-gpt-5', families: ['chat'], created: 1_754_524_800, context: 400_000, output: 128_000, inputs: ['text', 'image'], tools: true, reasoning: true },
  { id: 'openai-gpt-5-mini', families: ['chat'], created: 1_754_524_800, context: 272_000, output: 8_192, inputs: ['text', 'image'], tools: true, reasoning: true },
  { id: 'openai-gpt-5-nano', families: ['chat'], created: 1_754_524_800, context: 400_000, output: 128_000, inputs: ['text', 'image'], tools: true, reasoning: true },
  { id: 'openai-gpt-5.1', families: ['chat'], created: 1_762_992_000, context: 400_000, output: 128_000, inputs: ['text', 'image'], tools: true, reasoning: true },
  { id: 'openai-gpt-5.2', families: ['chat'], created: 1_765_411_200, context: 400_000, output: 128_000, inputs: ['text', 'image'], tools: true, reasoning: true },
  { id: 'openai-gpt-5.4', families: ['chat'], created: 1_772_668_800, context: 1_050_000, output: 128_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true },
  { id: 'openai-gpt-5.5', families: ['chat'], created: 1_776_902_400, context: 1_050_000, output: 128_000, inputs: ['text', 'image', 'pdf'], tools: true, reasoning: true },
  { id: 'snowflake-llama3.3-70b', families: ['chat'], created: 1_733_443_200, context: 128_000, output: 4_096, inputs: ['text'], tools: true, reasoning: false, sampling: true },
]
