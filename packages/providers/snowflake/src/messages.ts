import type { ChatSupport } from '@headgate/core/provider'

/** Claude, whose messages are Anthropic's own. */
export const messages: ChatSupport = {
  format: 'messages',
  speaks: (model) => model.startsWith('claude'),
  path: () => '/api/v2/cortex/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  forward: ['anthropic-version', 'anthropic-beta'],
}
