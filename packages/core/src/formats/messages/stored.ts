import type { IdPlaces } from '../../canonical/named-ids.ts'

/**
 * Where requests name what is stored at a provider: files, containers and skills of the account. What the vendor's own
 * tools reported earlier is not searched: it opens nothing.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/files
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool
 */
export const stored: IdPlaces = {
  places: ['messages', 'system', 'tools', 'container'],
  keys: new Set(['file_id', 'container']),
  skips: new Set(['input', 'input_schema', 'citations']),
  reports: ({ type }) => typeof type === 'string' && type !== 'tool_result' && type.endsWith('_tool_result'),
  more(object, note) {
    if (object['type'] === 'custom' && object['skill_id'] !== undefined) note('skill_id', object['skill_id'])
  },
}
