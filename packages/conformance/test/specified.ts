import type { KitFormat } from '../src/index.ts'

/** Where a vendor describes the requests of a path, in the folder of specifications. */
export interface Specified {
  readonly file: string
  /** Name of the schema of the request; absent = the schema stands at the path itself. */
  readonly root?: string
  readonly path: string
  readonly overlaps?: boolean
  readonly open?: boolean
  /** Breaches that are none, as the vendor accepts more than the file says. */
  readonly beyond?: RegExp
}

/** Marks and refusals that OpenRouter hands on to OpenAI. */
const OPENAI_ONLY = /prompt_cache_options|content/

/** Providers whose vendors publish a specification, with a model that takes images and calls tools. */
export const SPECIFIED: Readonly<Record<string, { model: string; format: KitFormat; requests: readonly Specified[] }>> =
  {
    mistral: {
      model: 'mistral-small-latest',
      format: 'chat-completions',
      requests: [{ file: 'mistral/openapi.yaml', root: 'ChatCompletionRequest', path: '/v1/chat/completions' }],
    },
    // The file was written by its community: it has no documents, no empty content, and half of the responses API.
    xai: {
      model: 'grok-4.3',
      format: 'chat-completions',
      requests: [
        {
          file: 'xai/openapi.yaml',
          root: 'CreateChatCompletionRequest',
          path: '/chat/completions',
          open: true,
          beyond: /content|reasoning_effort/,
        },
      ],
    },
    openrouter: {
      model: 'meta-llama/llama-4-maverick',
      format: 'chat-completions',
      requests: [
        {
          file: 'openrouter/openapi.json',
          root: 'ChatRequest',
          path: '/chat/completions',
          overlaps: true,
          open: true,
          beyond: OPENAI_ONLY,
        },
      ],
    },
    cohere: {
      model: 'command-a-03-2025',
      format: 'chat-completions',
      requests: [{ file: 'cohere/openapi.yaml', path: '/v2/chat', overlaps: true }],
    },
    openai: {
      model: 'gpt-5.4',
      format: 'chat-completions',
      requests: [
        { file: 'openai/openapi.trimmed.json', root: 'CreateChatCompletionRequest', path: '/chat/completions' },
        { file: 'openai/openapi.trimmed.json', root: 'CreateResponse', path: '/responses', overlaps: true },
      ],
    },
    anthropic: {
      model: 'claude-opus-4-8',
      format: 'messages',
      requests: [{ file: 'anthropic/openapi.messages.json', root: 'BetaCreateMessageParams', path: '/v1/messages' }],
    },
    google: {
      model: 'gemini-3.5-flash',
      format: 'generate-content',
      requests: [{ file: 'google/gemini-v1beta.openapi.json', root: 'GenerateContentRequest', path: '/models/' }],
    },
  }
