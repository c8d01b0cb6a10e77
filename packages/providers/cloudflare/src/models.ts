// Models of `cloudflare-workers-ai` at https://models.dev (MIT License), 2026-07-02. Written by `pnpm catalog`, not
// by hand.
import type { ModelFacts } from '@headgate/core/provider'

const source = 'models.dev@2026-07-02'

// biome-ignore format: one line a model
export const models: readonly ModelFacts[] = [
  { id: '@cf/aisingapore/gemma-sea-lion-v4-27b-it', families: ['chat'], created: 1_758_585_600, context: 128_000, output: 128_000, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 351_000_000, output: 555_000_000 } },
  { id: '@cf/deepseek-ai/deepseek-r1-distill-qwen-32b', families: ['chat'], created: 1_737_331_200, context: 80_000, output: 80_000, inputs: ['text'], tools: false, reasoning: true, sampling: true, price: { id: source, input: 497_000_000, output: 4_881_000_000 } },
  { id: '@cf/google/gemma-4-26b-a4b-it', families: ['chat'], created: 1_775_088_000, context: 256_000, output: 16_384, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 100_000_000, output: 300_000_000 } },
  { id: '@cf/ibm-granite/granite-4.0-h-micro', families: ['chat'], created: 1_759_795_200, context: 131_000, output: 131_000, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 17_000_000, output: 112_000_000 } },
  { id: '@cf/meta/llama-3.1-8b-instruct-fp8', families: ['chat'], created: 1_721_865_600, context: 32_000, output: 32_000, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 152_000_000, output: 287_000_000 } },
  { id: '@cf/meta/llama-3.2-11b-vision-instruct', families: ['chat'], created: 1_727_222_400, context: 128_000, output: 128_000, inputs: ['text', 'image'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 48_500_000, output: 676_000_000 } },
  { id: '@cf/meta/llama-3.2-1b-instruct', families: ['chat'], created: 1_727_222_400, context: 60_000, output: 60_000, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 27_000_000, output: 201_000_000 } },
  { id: '@cf/meta/llama-3.2-3b-instruct', families: ['chat'], created: 1_727_222_400, context: 80_000, output: 80_000, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 50_900_000, output: 335_000_000 } },
  { id: '@cf/meta/llama-3.3-70b-instruct-fp8-fast', families: ['chat'], created: 1_733_443_200, context: 24_000, output: 24_000, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 293_000_000, output: 2_253_000_000 } },
  { id: '@cf/meta/llama-4-scout-17b-16e-instruct', families: ['chat'], created: 1_743_811_200, context: 131_000, output: 16_384, inputs: ['text', 'image'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 270_000_000, output: 850_000_000 } },
  { id: '@cf/meta/llama-guard-3-8b', families: ['chat'], created: 1_737_504_000, context: 131_072, output: 131_072, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 484_000_000, output: 30_000_000 } },
  { id: '@cf/mistralai/mistral-small-3.1-24b-instruct', families: ['chat'], created: 1_742_256_000, context: 128_000, output: 128_000, inputs: ['text'], tools: true, reasoning: false, sampling: true, price: { id: source, input: 351_000_000, output: 555_000_000 } },
  { id: '@cf/moonshotai/kimi-k2.6', families: ['chat'], created: 1_776_729_600, context: 262_144, output: 256_000, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 4_000_000_000, cacheRead: 160_000_000 } },
  { id: '@cf/moonshotai/kimi-k2.7-code', families: ['chat'], created: 1_781_222_400, context: 262_144, output: 262_144, inputs: ['text', 'image'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 950_000_000, output: 4_000_000_000, cacheRead: 190_000_000 } },
  { id: '@cf/nvidia/nemotron-3-120b-a12b', families: ['chat'], created: 1_773_187_200, context: 256_000, output: 256_000, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 500_000_000, output: 1_500_000_000 } },
  { id: '@cf/openai/gpt-oss-120b', families: ['chat'], created: 1_754_352_000, context: 128_000, output: 16_384, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 350_000_000, output: 750_000_000 } },
  { id: '@cf/openai/gpt-oss-20b', families: ['chat'], created: 1_754_352_000, context: 128_000, output: 16_384, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 200_000_000, output: 300_000_000 } },
  { id: '@cf/qwen/qwen2.5-coder-32b-instruct', families: ['chat'], created: 1_740_614_400, context: 32_768, output: 32_768, inputs: ['text'], tools: false, reasoning: false, sampling: true, price: { id: source, input: 660_000_000, output: 1_000_000_000 } },
  { id: '@cf/qwen/qwen3-30b-a3b-fp8', families: ['chat'], created: 1_745_971_200, context: 32_768, output: 32_768, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 50_900_000, output: 335_000_000 } },
  { id: '@cf/qwen/qwq-32b', families: ['chat'], created: 1_741_132_800, context: 24_000, output: 24_000, inputs: ['text'], tools: false, reasoning: true, sampling: true, price: { id: source, input: 660_000_000, output: 1_000_000_000 } },
  { id: '@cf/zai-org/glm-4.7-flash', families: ['chat'], created: 1_768_780_800, context: 131_072, output: 131_072, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 60_500_000, output: 400_000_000 } },
  { id: '@cf/zai-org/glm-5.2', families: ['chat'], created: 1_781_308_800, context: 262_144, output: 262_144, inputs: ['text'], tools: true, reasoning: true, sampling: true, price: { id: source, input: 1_400_000_000, output: 4_400_000_000, cacheRead: 260_000_000 } },
]
