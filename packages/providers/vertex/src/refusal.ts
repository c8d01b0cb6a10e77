import type { VideoFailure } from '@headgate/core/provider'

/**
 * @see https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/video/responsible-ai-and-usage-guidelines
 */
const REFUSAL = /support codes?:|usage guidelines|responsible ai|sensitive words/i

/** Which input the vendor's filters refused, by its words; undefined where they tell of something else. */
export function refusalOf(message: string): VideoFailure['code'] | undefined {
  if (!REFUSAL.test(message)) return undefined
  return /\bimages?\b/i.test(message) ? 'InputImageSensitiveContentDetected' : 'InputTextSensitiveContentDetected'
}
