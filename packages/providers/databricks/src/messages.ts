import type { ChatSupport } from '@headgate/core/provider'

/** Tells if an endpoint is Databricks-hosted Claude. The model behind other endpoints is unknown. */
export function isClaude(model: string): boolean {
  return model.startsWith('databricks-claude-')
}

/** @see https://docs.databricks.com/aws/en/machine-learning/model-serving/query-anthropic-messages */
export const messages: ChatSupport = {
  format: 'messages',
  speaks: isClaude,
  path: () => '/serving-endpoints/anthropic/v1/messages',
  headers: { 'anthropic-version': '2023-06-01' },
  forward: ['anthropic-version', 'anthropic-beta'],
  signer: 'claude',
}
