import type { Call, ChatSupport } from '@headgate/core/provider'
import { modelPath } from './resource.ts'

const isClaude = (model: string): boolean => model.startsWith('claude-')
const isMistral = (model: string): boolean => /^(?:mistralai\/|(?:mistral|codestral|ministral)-)/.test(model)
const isOpen = (model: string): boolean => model.includes('/') && !isMistral(model)

/** The path names the publisher. */
const mistralName = (model: string): string => model.replace(/^mistralai\//, '')

/** Formats of each publisher, below the path of a project and its location. */
export function chatAt(home: string): readonly ChatSupport[] {
  const method = (publisher: string, whole: string, stream: string) => (call: Call) =>
    `${modelPath(home, publisher, mistralName(call.model))}:${call.stream ? stream : whole}`
  return [
    { format: 'chat-completions', speaks: isOpen, path: () => `${home}/endpoints/openapi/chat/completions` },
    {
      format: 'chat-completions',
      speaks: isMistral,
      path: method('mistralai', 'rawPredict', 'streamRawPredict'),
      drop: [
        'logit_bias',
        'logprobs',
        'top_logprobs',
        'user',
        'store',
        'service_tier',
        'verbosity',
        'stream_options',
        'safety_identifier',
      ],
      rename: { max_completion_tokens: 'max_tokens', seed: 'random_seed' },
      // Only the path has the version.
      patchRequest: (body, { model }) => ({ ...body, model: mistralName(model).replace(/@.*$/, '') }),
      facts: { usageInStream: 'always' },
    },
    {
      format: 'messages',
      speaks: isClaude,
      path: method('anthropic', 'rawPredict', 'streamRawPredict'),
      forward: ['anthropic-beta'],
      patchRequest: ({ model, ...body }, { headers: { 'anthropic-beta': beta } }) => ({
        ...body,
        anthropic_version: 'vertex-2023-10-16',
        ...(beta && { anthropic_beta: beta.split(',').map((one) => one.trim()) }),
      }),
      signer: 'claude',
    },
    geminiAt(home),
  ]
}

/** Gemini alone, for keys of the express mode. Its paths have neither project nor location. */
export function geminiAt(home: string): ChatSupport {
  return {
    format: 'generate-content',
    speaks: (model) => !isOpen(model) && !isClaude(model) && !isMistral(model),
    path: ({ model, stream }) =>
      `${modelPath(home, 'google', model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    signer: 'gemini',
    facts: { usageInStream: 'always' },
  }
}
