import type { IdPlaces } from '../../canonical/named-ids.ts'

/**
 * Matches file ids of Qwen-Long in a system prompt.
 * @see https://help.aliyun.com/en/model-studio/long-context-qwen-long
 */
const FILE_TEXT = /^\s*fileid:\/\//

/**
 * Fields with ids of stored objects: files, earlier audio, and stores and caches of servers that imitate the vendor.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @see https://ai.google.dev/gemini-api/docs/openai for `cached_content`
 */
export const stored: IdPlaces = {
  places: ['messages', 'tools', 'extra_body', 'cached_content'],
  keys: new Set([
    'file_id',
    'file_ids',
    'vector_store_ids',
    'container',
    'container_id',
    'audio',
    'cached_content',
    'cachedContent',
  ]),
  skips: new Set(['annotations', 'tool_calls', 'function_call', 'function', 'custom', 'audio']),
  more(object, note) {
    for (const key of ['content', 'text']) {
      const text = object[key]
      if (typeof text === 'string' && FILE_TEXT.test(text)) note(key, text)
    }
  },
}
