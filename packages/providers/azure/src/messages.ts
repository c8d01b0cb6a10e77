import type { ChatSupport } from '@headgate/core/provider'

/** Claude is served at the host of Foundry alone, whatever name a resource has beside. */
const BESIDE = /\.(?:openai|cognitiveservices)\.azure\.com$/
const FOUNDRY = '.services.ai.azure.com'

/** The host of Foundry, where it is another than that of the base URL. */
export function foundryHosts(baseUrl: string): string[] {
  return BESIDE.test(baseUrl) ? [new URL(baseUrl.replace(BESIDE, FOUNDRY)).host] : []
}

/**
 * Claude on Foundry, whose messages are Anthropic's own.
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
    answer: ['request-id'],
    signer: 'claude',
    facts: { pdfUrls: true },
  }
}
