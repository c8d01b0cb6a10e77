import type { ChatSupport } from '@headgate/core/provider'

/** Claude, with Anthropic's messages format. */
export const messages: ChatSupport = {
  format: 'messages',
  speaks: (model) => model.startsWith('claude'),
  path: () => '/api/v2/cortex/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  forward: ['anthropic-version', 'anthropic-beta'],
}
