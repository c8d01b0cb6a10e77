import type { FormatId } from '../src/index.ts'

/** Where a vendor describes the requests of a path, in the folder of specifications. */
export interface Specified {
  readonly file: string
  /** Name of the schema of the request; absent = the schema stands at the path itself. */
  readonly root?: string
  readonly path: string
  readonly overlaps?: boolean
  readonly open?: boolean
}

/** Providers whose vendors publish a specification, with a model that takes images and calls tools. */
export const SPECIFIED: Readonly<Record<string, { model: string; format: FormatId; requests: readonly Specified[] }>> = {
  mistral: {
    model: 'mistral-small-latest',
    format: 'chat-completions',
    requests: [{ file: 'mistral/openapi.yaml', root: 'ChatCompletionRequest', path: '/v1/chat/completions' }],
  },
  xai: {
    model: 'grok-4.3',
    format: 'chat-completions',
    requests: [
      { file: 'xai/openapi.yaml', root: 'CreateChatCompletionRequest', path: '/chat/completions', open: true },
      { file: 'xai/openapi.yaml', root: 'CreateResponseRequest', path: '/responses', open: true },
    ],
  },
  openrouter: {
    model: 'meta-llama/llama-4-maverick',
    format: 'chat-completions',
    requests: [
      { file: 'openrouter/openapi.json', root: 'ChatRequest', path: '/chat/completions', overlaps: true, open: true },
      { file: 'openrouter/openapi.json', root: 'ResponsesRequest', path: '/responses', overlaps: true, open: true },
    ],
  },
  cohere: { model: 'command-a-03-2025', format: 'chat-completions', requests: [{ file: 'cohere/openapi.yaml', path: '/v2/chat' }] },
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
    requests: [{ file: 'google/gemini-v1beta.openapi.json', root: 'GenerateContentRequest', path: '/generateContent' }],
  },
}
