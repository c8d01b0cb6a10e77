import type { IdPlaces } from '../../canonical/named-ids.ts'

/**
 * Fields with ids of stored objects: files, caches, and searchable stores. `namedIds` finds URLs of files.
 * @see https://ai.google.dev/api/generate-content
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/rag-api
 */
export const stored: IdPlaces = {
  places: ['contents', 'systemInstruction', 'system_instruction', 'tools', 'cachedContent', 'cached_content'],
  keys: new Set([
    ...['cachedContent', 'cached_content', 'fileSearchStoreNames', 'file_search_store_names'],
    ...['ragCorpora', 'rag_corpora', 'ragCorpus', 'rag_corpus', 'ragFileIds', 'rag_file_ids'],
    ...['datastore', 'dataStore', 'data_store', 'engine'],
  ]),
  skips: new Set([
    ...['args', 'response', 'parameters', 'parametersJsonSchema', 'parameters_json_schema'],
    ...['responseJsonSchema', 'response_json_schema', 'toolCall', 'tool_call', 'toolResponse', 'tool_response'],
  ]),
}
