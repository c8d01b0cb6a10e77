const text = ['role', 'content']

/**
 * Request fields that Mistral accepts; any other is a 422.
 *
 * @see https://docs.mistral.ai/api/endpoint/chat
 */
export const ACCEPTED = {
  '': [
    ...[
      'model',
      'messages',
      'stream',
      'max_tokens',
      'temperature',
      'top_p',
      'stop',
      'random_seed',
      'n',
      'presence_penalty',
      'metadata',
    ],
    ...[
      'frequency_penalty',
      'response_format',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'prediction',
      'prompt_mode',
      'guardrails',
    ],
    ...['reasoning_effort', 'prompt_cache_key', 'safe_prompt'],
  ],
  'messages[system]': text,
  'messages[user]': text,
  'messages[assistant]': [...text, 'tool_calls', 'prefix'],
  'messages[tool]': [...text, 'tool_call_id', 'name'],
  'messages[*].content[text]': ['type', 'text'],
  'messages[*].content[image_url]': ['type', 'image_url'],
  'messages[*].content[image_url].image_url': ['url', 'detail'],
  'messages[*].content[document_url]': ['type', 'document_url', 'document_name'],
  'messages[*].content[input_audio]': ['type', 'input_audio'],
  'messages[*].content[file]': ['type', 'file_id'],
  'messages[*].tool_calls[*]': ['id', 'type', 'function', 'index'],
  'messages[*].tool_calls[*].function': ['name', 'arguments'],
  'tools[*]': ['type', 'function'],
  'tools[*].function': ['name', 'description', 'strict', 'parameters'],
  prediction: ['type', 'content'],
  response_format: ['type', 'json_schema'],
  'response_format.json_schema': ['name', 'description', 'schema', 'strict'],
}
