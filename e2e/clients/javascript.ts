import { eitherOfOpenAI, nameOf, type ScriptedClient, type Spoken } from './client.ts'

/** Provider packages of the AI SDK with their formats. OpenAI's package uses responses by default. */
const PROVIDERS = [
  { name: '@ai-sdk/openai', format: 'chat-completions' },
  { name: '@ai-sdk/openai', format: 'responses' },
  { name: '@ai-sdk/openai-compatible', format: 'chat-completions' },
  { name: '@ai-sdk/anthropic', format: 'messages' },
  { name: '@ai-sdk/google', format: 'generate-content' },
] as const

/** Compatible versions. */
const AI = [
  {
    ai: '5.0.277',
    of: {
      '@ai-sdk/openai': '2.0.131',
      '@ai-sdk/openai-compatible': '1.0.61',
      '@ai-sdk/anthropic': '2.0.112',
      '@ai-sdk/google': '2.0.108',
    },
  },
  {
    ai: '6.0.326',
    of: {
      '@ai-sdk/openai': '3.0.141',
      '@ai-sdk/openai-compatible': '2.0.91',
      '@ai-sdk/anthropic': '3.0.139',
      '@ai-sdk/google': '3.0.141',
    },
  },
  {
    ai: '7.0.173',
    of: {
      '@ai-sdk/openai': '4.0.118',
      '@ai-sdk/openai-compatible': '3.0.92',
      '@ai-sdk/anthropic': '4.0.105',
      '@ai-sdk/google': '4.0.121',
    },
  },
] as const

const langchain = { '@langchain/core': '1.4.0', zod: '4.6.7' }

/** Configurations in which other programs use OpenAI's client. */
const OPENAI: readonly { readonly way: string; readonly variant: string; readonly format: Spoken }[] = [
  { way: '(legacy completions)', variant: 'completions', format: 'completions' },
  { way: 'with a base URL without /v1', variant: 'without-version', format: 'chat-completions' },
  { way: 'for Azure (AzureOpenAI)', variant: 'azure', format: 'chat-completions' },
  { way: 'in Obsidian (origin app://obsidian.md)', variant: 'origin', format: 'chat-completions' },
]

/** Node clients that are installed for these tests. The vendors' clients are in `vendors.ts`. */
export const JAVASCRIPT_CLIENTS: readonly ScriptedClient[] = [
  ...AI.flatMap(({ ai, of }) =>
    PROVIDERS.map(({ name, format }) => ({
      name: nameOf(`ai ${Number.parseInt(ai, 10)} with ${name}`, format),
      format,
      packages: { [name]: of[name], ai, zod: '4.6.7' },
      script: 'ai.mjs',
    })),
  ),
  ...eitherOfOpenAI({
    name: '@langchain/openai',
    packages: { '@langchain/openai': '1.6.0', ...langchain },
    script: 'langchain.mjs',
  }),
  {
    name: '@langchain/anthropic',
    format: 'messages',
    packages: { '@langchain/anthropic': '1.5.11', ...langchain },
    script: 'langchain.mjs',
  },
  {
    name: '@langchain/google-genai',
    format: 'generate-content',
    packages: { '@langchain/google-genai': '2.3.2', ...langchain },
    script: 'langchain.mjs',
  },
  ...eitherOfOpenAI({
    name: '@openai/agents',
    packages: { '@openai/agents': '0.20.0', zod: '4.6.7' },
    script: 'openai-agents.mjs',
  }),
  {
    name: '@mastra/core',
    format: 'chat-completions',
    packages: { '@mastra/core': '1.71.0', zod: '4.6.7' },
    script: 'mastra.mjs',
  },
  ...OPENAI.map(
    ({ way, format, variant }): ScriptedClient => ({
      name: `openai 7 ${way}`,
      format,
      variant,
      packages: { openai: '7.55.0' },
      script: 'openai.mjs',
    }),
  ),
]
