import type { IdPlaces } from '../../canonical/named-ids.ts'

/**
 * Fields with ids of stored objects: files, containers and skills of the account. Earlier results of hosted tools are
 * not searched, since they give no access.
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
