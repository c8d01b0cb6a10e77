const TEXT = ['role', 'content']

/**
 * Message fields that Groq accepts; any other is a 400.
 *
 * @see https://console.groq.com/docs/openai
 * @see https://console.groq.com/docs/api-reference#chat-create
 */
export const ACCEPTED = {
  'messages[system]': TEXT,
  'messages[developer]': TEXT,
  'messages[user]': TEXT,
  'messages[assistant]': [...TEXT, 'reasoning', 'tool_calls'],
  'messages[tool]': [...TEXT, 'tool_call_id'],
}
