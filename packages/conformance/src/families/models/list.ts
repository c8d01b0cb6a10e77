import type { Received, UpstreamReply } from '../../upstream.ts'
import type { KitFormat } from '../chat/meaning.ts'

/**
 * Model list of each vendor: two models, one per page if the format has pages.
 *
 * @see https://platform.openai.com/docs/api-reference/models/list
 * @see https://platform.claude.com/docs/en/api/models/list
 * @see https://ai.google.dev/api/models#method:-models.list
 */
export function modelList(
  format: KitFormat,
  [first, second]: readonly [string, string],
): (request: Received) => UpstreamReply {
  switch (format) {
    case 'chat-completions':
    case 'responses':
      return () => ({
        kind: 'whole',
        body: {
          object: 'list',
          data: [first, second].map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'vendor' })),
        },
      })
    case 'messages':
      return ({ query }) => {
        const id = query.get('after_id') === first ? second : first
        const entry = { type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }
        return { kind: 'whole', body: { data: [entry], has_more: id === first, first_id: id, last_id: id } }
      }
    case 'generate-content':
      return ({ query }) => {
        const id = query.get('pageToken') === 'second' ? second : first
        const entry = {
          name: `models/${id}`,
          displayName: id,
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
        }
        return { kind: 'whole', body: { models: [entry], ...(id === first && { nextPageToken: 'second' }) } }
      }
  }
}
