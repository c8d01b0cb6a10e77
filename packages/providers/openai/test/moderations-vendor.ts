import type { ModerationsFacts } from '@headgate/conformance'

/** Written from https://platform.openai.com/docs/api-reference/moderations/create */
export const moderations: ModerationsFacts = { model: 'omni-moderation-latest', path: '/v1/moderations', images: true }
