import type { ChatSupport } from '@headgate/core/provider'

/** Endpoint, optionally with a component. The endpoint is in the path, the component in a header. */
const NAMES = /^[a-zA-Z0-9][a-zA-Z0-9-]{0,62}(?:\/[a-zA-Z0-9][a-zA-Z0-9-]{0,62})?$/

export const chat: ChatSupport = {
  format: 'chat-completions',
  speaks: (model) => NAMES.test(model),
  path: ({ model, stream }) =>
    `/endpoints/${model.split('/')[0]}/${stream ? 'invocations-response-stream' : 'invocations'}`,
  headers: (model) => {
    const [, component] = model.split('/')
    return component === undefined ? undefined : { 'x-amzn-sagemaker-inference-component': component }
  },
  framing: 'aws-payload-lines',
  rename: { max_completion_tokens: 'max_tokens' },
  patchRequest: ({ model: _, ...body }) => body,
  responseHeaders: ['x-amzn-requestid', 'x-amzn-invoked-production-variant'],
  facts: { maxTokens: 'max_tokens' },
}
