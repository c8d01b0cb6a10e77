import type { ChatSupport } from '@headgate/core/provider'

/** Claude is only available on the Foundry host of a resource. */
const BESIDE = /\.(?:openai|cognitiveservices)\.azure\.com$/
const FOUNDRY = '.services.ai.azure.com'

/** Foundry host, if it differs from the base URL's host. */
export function foundryHosts(baseUrl: string): string[] {
  return BESIDE.test(baseUrl) ? [new URL(baseUrl.replace(BESIDE, FOUNDRY)).host] : []
}

/**
 * Claude on Foundry, with Anthropic's messages format.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry
 */
export function claudeAt(baseUrl: string, isClaude: (model: string) => boolean): ChatSupport {
  return {
    format: 'messages',
    speaks: isClaude,
    path: () => `${BESIDE.test(baseUrl) ? baseUrl.replace(BESIDE, FOUNDRY) : ''}/anthropic/v1/messages`,
    headers: { 'anthropic-version': '2023-06-01' },
    forward: ['anthropic-version', 'anthropic-beta'],
    responseHeaders: ['request-id'],
    signer: 'claude',
    facts: { pdfUrls: true },
  }
}
